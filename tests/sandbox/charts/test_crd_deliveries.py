"""CRDs behind switches, under the real Helm: they come when told, and stay when told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bare_cluster import BareCluster, Json, until
from helm_releases import Releases

from gpu_cluster_sandbox.charts.catalogue import Source, StandIn
from gpu_cluster_sandbox.charts.facts import ChartFacts
from gpu_cluster_sandbox.charts.render import chart_files
from gpu_cluster_sandbox.cluster import Cluster
from gpu_cluster_sandbox.engine import Engine
from pulumi_gpu_cluster.catalog.charts import Chart, CrdDelivery, CrdSet

VALUES: dict[str, Json] = {
    "kept": {"crds": {"enabled": True, "keep": True}},
    "going": {"crds": {"enabled": True, "keep": False}},
    "off": {},
}
"""A chart for each answer to its switches."""


def _crd(chart: str) -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{chart}s.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": chart.title(), "plural": f"{chart}s", "singular": chart},
            "scope": "Cluster",
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def _write(folder: Path, name: str) -> None:
    crds = CrdSet(
        CrdDelivery.TEMPLATES_SWITCH,
        (f"{name}s.example.org",),
        switch="crds.enabled",
        keep_switch="crds.keep",
    )
    files = chart_files(
        Chart(name, "https://charts.example.org", "1.0.0", (crds,)),
        StandIn(source=Source(None), workloads=()),
        ChartFacts("1.0.0", "1.0.0", {"crds": "map", "global": "map"}, (), ()),
        {"": [_crd(name)]},
    )
    for path, text in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def made_up(engine: Engine, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("made-up")
    releases = Releases.in_folder(folder, engine, cluster.kubeconfig)
    for name in VALUES:
        _write(folder / "charts", name)
    return releases


def test_a_switch_brings_crds_and_another_keeps_them(made_up: Releases, bare: BareCluster) -> None:
    installed = made_up.up(VALUES)
    assert installed.code == 0, installed.output
    served = bare.conditions_of_crds()
    assert {"kepts.example.org", "goings.example.org"} <= served.keys()
    assert "offs.example.org" not in served, "a switch that nobody set brings nothing here"

    removed = made_up.up({})
    assert removed.code == 0, removed.output
    until(lambda: "goings.example.org" not in bare.conditions_of_crds(), "Helm deletes its CRD")
    assert "kepts.example.org" in bare.conditions_of_crds(), "and with it every object would go"
    bare.delete("CustomResourceDefinition", "kepts.example.org")
