"""gpu-cluster schema, and the copy of it that editors read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.checks import RULES
from pulumi_gpu_cluster.cli.schema import command
from pulumi_gpu_cluster.reading.stack_schema import stack_schema
from pulumi_gpu_cluster.section import WORDS
from pulumi_gpu_cluster.site import Site

VALIDATOR = Draft202012Validator(stack_schema())


def _says(document: dict[str, Any]) -> list[str]:
    errors: Iterable[Any] = VALIDATOR.iter_errors(document)  # pyright: ignore[reportUnknownMemberType]
    return [error.json_path for error in errors]


def test_the_committed_schema_is_the_one_that_the_command_prints(root: Path) -> None:
    printed = CliRunner().invoke(command, [])
    assert printed.exit_code == 0
    assert (root / "docs" / "site.schema.json").read_text(encoding="utf-8") == printed.output, (
        "write it anew: gpu-cluster schema > docs/site.schema.json"
    )


def test_the_committed_reference_is_the_one_that_the_command_prints(root: Path) -> None:
    printed = CliRunner().invoke(command, ["--format", "markdown"])
    assert printed.exit_code == 0
    assert (root / "docs" / "site.md").read_text(encoding="utf-8") == printed.output, (
        "write it anew: gpu-cluster schema --format markdown > docs/site.md"
    )


def test_the_reference_names_every_key_every_gpu_and_every_rule(root: Path) -> None:
    page = CliRunner().invoke(command, ["--format", "markdown"]).output
    keys = {key for part in stack_schema()["$defs"].values() for key in part["properties"]}
    for word in (*keys, *GPUS, *RULES):
        assert f"| `{word}` |" in page, word


def test_it_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(stack_schema())


def test_every_stack_file_of_ours_names_the_schema_and_keeps_to_it(root: Path) -> None:
    files = sorted((root / "stacks").glob("Pulumi.*.yaml"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=../docs/site.schema.json\n"), file
        assert _says(yaml.safe_load(text)) == [], file


def _document(root: Path) -> dict[str, Any]:
    text = (root / "stacks" / "Pulumi.sandbox.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("node_pools", 0, "nods"), "gpu1"),
        (("node_pools", 0, "gpu", "model"), "H100"),
        (("node_pools", 0, "gpu", "count"), 0),
        (("node_pools", 0, "mig"), "all-3g.41gb"),
        (("scheduler", "kind"), "slurm"),
        (("tenants", 0, "quota", "train", "mem"), 1),
        (("tenants", 0, "quota", "train", "gpu"), -1),
        (("tenants", 0, "quota", "Train"), {"gpu": 1}),
        (("tenants", 0, "weight"), 0),
        (("control_plane", "kubeconfig"), "in plain text"),
    ],
)
def test_an_editor_underlines(root: Path, at: tuple[str | int, ...], value: object) -> None:
    document = _document(root)
    here = document["config"]["gpu-cluster:site"]
    for step in at[:-1]:
        here = here[step]
    here[at[-1]] = value
    assert len(_says(document)) == 1


def test_an_encrypted_secret_is_what_the_schema_wants(root: Path) -> None:
    document = _document(root)
    site = document["config"]["gpu-cluster:site"]
    site["control_plane"]["kubeconfig"] = {"secure": "v1:a:b"}
    assert _says(document) == []


def test_an_editor_can_offer_every_gpu_of_the_catalogue() -> None:
    model = stack_schema()["$defs"]["GpuArgs"]["properties"]["model"]
    assert model["examples"] == list(GPUS)


def test_every_key_says_what_it_means() -> None:
    bare = [
        f"{name}.{key}"
        for name, section in stack_schema()["$defs"].items()
        for key, field in section["properties"].items()
        if not field.get("description")
    ]
    assert bare == []


def _patterns(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, below in cast("dict[str, object]", node).items():
            if key == "pattern" and isinstance(below, str):
                yield below
            yield from _patterns(below)
    elif isinstance(node, list):
        for below in cast("list[object]", node):
            yield from _patterns(below)


def test_every_pattern_of_a_site_file_has_words_for_who_misses_it() -> None:
    """A pattern without words ended `check` with a fault of its own."""
    patterns = set(_patterns(Site.model_json_schema()))
    assert patterns, "the search finds none"
    assert patterns <= set(WORDS)
