"""A real engine, a real API server, and projects of the tests' own to bring up on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from bare_program import BareProgram
from lightkube import Client
from sandbox_project import Project, RunningSite, bring_up

from gpu_cluster_sandbox.cluster import Cluster
from gpu_cluster_sandbox.engine import Engine, ensure_engine
from gpu_cluster_sandbox.engine.ensure import ensure_stand_ins


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine that `make up` uses, built here where the machine lacks it."""
    return ensure_engine("auto", lambda line: print(line, flush=True))


@pytest.fixture(scope="session")
def stand_ins() -> Engine:
    """Both plugins' stand-ins, whatever real ones the machine has."""
    return ensure_stand_ins(lambda line: print(line, flush=True))


@pytest.fixture(scope="session")
def sandbox_site(root: Path) -> dict[str, object]:
    """The sandbox's stack file, parsed, for tests to make variants of."""
    text = (root / "stacks" / "Pulumi.sandbox.yaml").read_text(encoding="utf-8")
    document: dict[str, object] = yaml.safe_load(text)
    return document


@pytest.fixture(scope="session")
def running(
    engine: Engine,
    root: Path,
    tmp_path_factory: pytest.TempPathFactory,
    sandbox_site: dict[str, object],
) -> Iterator[RunningSite]:
    """The sandbox's site, up for all the tests that only look."""
    project = _project(engine, root, tmp_path_factory)
    project.write_site(sandbox_site, "sandbox")
    yield bring_up(project, "sandbox")
    project.stop_everything()


@pytest.fixture
def client(running: RunningSite) -> Client:
    """The administrator of the running sandbox, whose keys change when it is made anew."""
    return running.client()


@pytest.fixture(scope="module")
def project(
    engine: Engine, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    """A project like the repository's, with stack files of its own, for one module."""
    made = _project(engine, root, tmp_path_factory)
    yield made
    made.stop_everything()


@pytest.fixture(scope="session")
def bare_cluster(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with nothing on it, for programs of a few lines."""
    cluster = Cluster(tmp_path_factory.mktemp("bare-cluster"), engine)
    cluster.start(print)
    yield cluster
    cluster.stop(print)


@pytest.fixture(scope="module")
def bare(
    engine: Engine, bare_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> BareProgram:
    """A project folder for a program of a few lines, for one module."""
    return BareProgram(tmp_path_factory.mktemp("bare"), engine, bare_cluster.kubeconfig)


def _project(engine: Engine, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(root / "Pulumi.yaml", folder)
    for name in ("infra", "policies", ".venv"):
        (folder / name).symlink_to(root / name)
    (folder / "stacks").mkdir()
    return Project(folder, engine)
