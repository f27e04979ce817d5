"""What the chart and kube-state-metrics are told fits what they read."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from jsonschema import Draft7Validator
from made_site import cpu_pool, gpu_pool, made_site

from gpu_cluster_sandbox.charts.facts import load_crds
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs, VolumeArgs
from pulumi_gpu_cluster.monitoring.promql import label_of
from pulumi_gpu_cluster.monitoring.state_metrics import Watched, state_metrics_values, watched
from pulumi_gpu_cluster.monitoring.values import StackValues
from pulumi_gpu_cluster.scheduling.choice import Scheduler

SCHEDULERS: tuple[Scheduler, ...] = get_args(Scheduler)
WATCHED = [kind for scheduler in SCHEDULERS for kind in watched(scheduler, drivers=True)]
# What the chart makes of its own keys; all others go into the objects as they are.
_SWITCHES = ("SelectorNilUsesHelmValues", "useExistingSecret", "storageSpec")


def _spec(chart: str, crd_name: str, version: str) -> dict[str, Any]:
    """The schema of a kind's whole object."""
    for crds in load_crds(chart).values():
        for crd in crds:
            if crd["metadata"]["name"] == crd_name:
                return next(
                    one["schema"]["openAPIV3Schema"]
                    for one in crd["spec"]["versions"]
                    if one["name"] == version
                )
    raise AssertionError(f"{chart} has no CRD {crd_name}")


def _schema(kind: Watched) -> dict[str, Any]:
    charts = {"kueue.x-k8s.io": "kueue", "scheduling.volcano.sh": "volcano"}
    chart = charts.get(kind.group, "gpu-operator")
    return _spec(chart, f"{kind.plural}.{kind.group}", kind.version)


@pytest.mark.parametrize("kind", WATCHED, ids=lambda kind: kind.kind)
def test_every_field_that_is_read_is_one_the_kind_has(kind: Watched) -> None:
    status = _schema(kind)["properties"]["status"]["properties"]
    for metric in kind.metrics:
        how = metric["each"].get("gauge") or metric["each"]["stateSet"]
        first, field = how["path"]
        assert first == "status"
        assert field in status
        if "list" in how:
            assert set(how["list"]) == set(status[field]["enum"])


def test_metrics_of_one_name_differ_in_a_label() -> None:
    for kind in WATCHED:
        names = [(one["name"], str(one.get("commonLabels"))) for one in kind.metrics]
        assert len(names) == len(set(names))


def test_without_gpus_there_are_no_drivers_to_watch() -> None:
    assert [kind.kind for kind in watched("volcano", drivers=False)] == ["Queue"]


def test_the_labels_by_which_pools_find_their_nodes_are_told_of() -> None:
    pools = made_site(
        node_pools=[gpu_pool(nodes=None, selector={"b/x": "1", "a": "2"}, count=1), cpu_pool()]
    ).node_pools
    values = state_metrics_values("kueue", pools, drivers=True)
    assert values["metricLabelsAllowlist"] == ["nodes=[a,b/x,gpu-cluster.io/pool]"]


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("gpu-cluster.io/pool", "label_gpu_cluster_io_pool"),
        ("cloud.google.com/gke-nodepool", "label_cloud_google_com_gke_nodepool"),
        ("nodePool", "label_node_pool"),
        ("eks.amazonaws.com/nodegroupName", "label_eks_amazonaws_com_nodegroup_name"),
    ],
)
def test_a_labels_name_is_what_kube_state_metrics_makes_of_it(key: str, label: str) -> None:
    assert label_of(key) == label


@pytest.mark.parametrize("volume", [None, VolumeArgs(storage_class="fast")])
@pytest.mark.parametrize(
    ("part", "kind"), [("prometheus", "prometheuses"), ("alertmanager", "alertmanagers")]
)
def test_what_becomes_a_prometheus_or_alertmanager_fits_its_kind(
    part: str, kind: str, volume: VolumeArgs | None
) -> None:
    values = StackValues(MonitoringArgs(volume=volume), "lab", made_site().node_pools, "kueue")
    spec = {
        key: value for key, value in getattr(values, part)().items() if not key.endswith(_SWITCHES)
    }
    schema = _spec("kube-prometheus-stack", f"{kind}.monitoring.coreos.com", "v1")
    known = schema["properties"]["spec"]
    assert set(spec) <= set(known["properties"])
    faults = [fault.json_path for fault in Draft7Validator(known).iter_errors(spec)]
    # Amounts may be written as text or number there, which this validator does not know of.
    assert [path for path in faults if "resources" not in path and "storage" not in path] == []


def test_a_small_disk_is_never_without_a_limit() -> None:
    values = StackValues(
        MonitoringArgs(volume=VolumeArgs(size="1Gi")), "lab", made_site().node_pools, "kueue"
    )
    assert values.prometheus()["retentionSize"] == "870MiB"
