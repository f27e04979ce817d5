"""A CRD gets the mark; everything else goes through untouched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpu_cluster_sandbox.charts.facts import load_crds
from pulumi_gpu_cluster.catalog.charts import CHARTS
from pulumi_gpu_cluster.objects.keep_crds import keep_crds

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  mode: 0420
  on: "yes"
  crd: |
    kind: CustomResourceDefinition
    metadata:
      name: quoted
"""

CRDS = {
    "plain": "kind: CustomResourceDefinition\nmetadata:\n  name: a\nspec: {}\n",
    "with annotations": (
        "# Source: x\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata:\n  annotations:\n    b: c\n  name: a\nspec: {}\n"
    ),
    "with deep annotations": (
        "kind: CustomResourceDefinition\nmetadata:\n    annotations:\n          b: c\n"
        "    name: a\nspec: {}\n"
    ),
    "with empty annotations": (
        "kind: CustomResourceDefinition\nmetadata:\n  name: a\n  annotations: {}\nspec: {}\n"
    ),
    "with no annotations but the key": (
        "kind: CustomResourceDefinition\nmetadata:\n  annotations:\n  name: a\nspec: {}\n"
    ),
    "quoted kind": 'kind: "CustomResourceDefinition"\nmetadata:\n  name: a\n',
    "metadata last, no final newline": "kind: CustomResourceDefinition\nmetadata:\n  name: a",
    "an annotation of the same name further down": (
        "kind: CustomResourceDefinition\nmetadata:\n  name: a\nspec:\n  annotations: {}\n"
    ),
    "json": json.dumps({"kind": "CustomResourceDefinition", "metadata": {"name": "a"}}),
    "json below a comment": "# Source: x\n"
    + json.dumps({"kind": "CustomResourceDefinition", "metadata": {"name": "a"}}, indent=1),
}


def _as_yaml(value: object) -> str:
    return yaml.safe_dump(value)


def _annotations(text: str) -> Any:
    return yaml.safe_load(text)["metadata"]["annotations"]


@pytest.mark.parametrize("name", sorted(CRDS))
def test_a_crd_is_marked_however_it_is_written(name: str) -> None:
    marked = keep_crds(CRDS[name])
    assert _annotations(marked)["helm.sh/resource-policy"] == "keep"
    before = yaml.safe_load(CRDS[name])
    after = yaml.safe_load(marked)
    del after["metadata"]["annotations"]["helm.sh/resource-policy"]
    assert after["metadata"]["annotations"] == (before["metadata"].get("annotations") or {})
    for document in (before, after):
        document["metadata"].pop("annotations", None)
    assert after == before, "nothing else may change"


@pytest.mark.parametrize("name", sorted(CRDS))
def test_marking_twice_is_marking_once(name: str) -> None:
    once = keep_crds(CRDS[name])
    assert yaml.safe_load(keep_crds(once)) == yaml.safe_load(once)


def test_what_is_no_crd_goes_through_to_the_byte() -> None:
    manifest = f"---\n{CONFIG_MAP}--- # next\n{CONFIG_MAP}\n---\n"
    assert keep_crds(manifest) == manifest


def test_only_the_crd_of_several_documents_is_touched() -> None:
    manifest = f"---\n{CONFIG_MAP}---\n{CRDS['plain']}---\n{CONFIG_MAP}"
    marked = keep_crds(manifest)
    assert marked.count("helm.sh/resource-policy: keep") == 1
    assert marked.startswith(f"---\n{CONFIG_MAP}---\n")
    assert marked.endswith(f"---\n{CONFIG_MAP}")


def test_a_crd_that_cannot_be_marked_stops_the_release() -> None:
    with pytest.raises(ValueError, match="metadata does not stand on lines of its own"):
        keep_crds("kind: CustomResourceDefinition\nmetadata: {name: a}\n")


@pytest.mark.parametrize("chart", sorted(CHARTS))
@pytest.mark.parametrize("written", [_as_yaml, json.dumps], ids=["yaml", "json"])
def test_the_real_crds_of_every_chart_are_marked(chart: str, written: Any) -> None:
    crds = [crd for group in load_crds(chart).values() for crd in group]
    marked = keep_crds("---\n".join(f"{written(crd)}\n" for crd in crds))
    # Each value is written as itself, so counting is enough where reading would take a minute.
    assert marked.count("helm.sh/resource-policy") == len(crds)


def test_the_command_filters_standard_input_and_fails_in_one_line() -> None:
    command = Path(sys.executable).parent / "gpu-cluster-keep-crds"

    def run(text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([command], input=text, capture_output=True, text=True, check=False)

    assert _annotations(run(CRDS["plain"]).stdout)["helm.sh/resource-policy"] == "keep"
    refused = run("kind: CustomResourceDefinition\nmetadata: {name: a}\n")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert not refused.stdout
