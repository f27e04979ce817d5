# The two commands are `make up` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

SITE ?= sandbox
ENGINE ?= auto
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PROJECTS := pyproject.toml policies/pyproject.toml sandbox/pyproject.toml
TESTS := $(sort $(dir $(wildcard tests/*/*.py tests/*/*/*.py)))
SOURCES := components policies sandbox infra tests bench

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export ENGINE
# Programs start hundreds of times in a run: none of them is to compile our sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help up down status test check format bench lock clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

up: $(READY) ## Bring a whole GPU cluster up in the sandbox (SITE=<name> for another stack file)
	@gpu-cluster-sandbox up --site $(SITE)

down: $(READY) ## Destroy the stack and stop the sandbox (SITE=<name>)
	@gpu-cluster-sandbox down --site $(SITE)

status: $(READY) ## Show what runs
	@gpu-cluster-sandbox status --site $(SITE)

test: $(READY) ## Run all tests, with the minutes per folder at the end
	@$(BIN)/pytest $(ARGS)

check: $(READY) ## Lint, format check, mypy and pyright
	@ruff check $(SOURCES)
	@ruff format --check $(SOURCES)
	@mypy components policies sandbox infra bench tests/*.py
	@for folder in $(TESTS); do mypy $$folder || exit 1; done # each has a conftest of its own
	@pyright

format: $(READY) ## Mend formatting and what the linter can mend
	@ruff format $(SOURCES)
	@ruff check --fix $(SOURCES)

bench: $(READY) ## Measure, as ratios within one run
	@$(BIN)/python -m bench

lock: ## Write requirements.lock anew from the three pyproject files
	@uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url \
	  --no-annotate --group dev --python-version 3.11 --no-emit-package pulumi-gpu-cluster \
	  --no-emit-package gpu-cluster-policies --no-emit-package gpu-cluster-sandbox \
	  --output-file requirements.lock $(PROJECTS)

clean: ## Remove the Python environment; the sandbox goes with `make down`
	@rm -rf .venv

$(READY): requirements.lock $(PROJECTS)
	@$(PYTHON) -c 'import sys, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	  || { echo 'Python 3.11 to 3.13 with its venv module is needed. On Debian 12:' >&2; \
	       echo '  sudo apt-get install --yes git make python3 python3-venv' >&2; exit 1; }
	@echo 'Setting up the Python environment in .venv (about half a minute)'
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation -e . -e policies -e sandbox
	@touch $@
