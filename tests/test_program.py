"""The program of a site: everything wrong is said at once, and before anything is made."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import pulumi
import pytest
from graph_sites import site
from recorded_graph import Graph, record

from pulumi_gpu_cluster import GpuCluster, checked_site
from pulumi_gpu_cluster.catalog.versions import GPU_OPERATOR


def _raw() -> dict[str, Any]:
    raw: dict[str, Any] = json.loads(site().model_dump_json(exclude_none=True))
    raw["control_plane"].pop("kubeconfig")
    return raw


def _program() -> None:
    one = checked_site()
    GpuCluster(one.name, one)


def _run(raw: object, last_outputs: dict[str, Any] | None = None) -> Graph:
    pulumi.runtime.set_all_config({"gpu-cluster:site": json.dumps(raw)})
    return record(_program, last_outputs)


def test_a_good_site_becomes_a_cluster() -> None:
    assert _run(_raw()).named("lab", "gpu-cluster:cluster:GpuCluster")


def test_all_that_is_wrong_is_printed_before_anything_is_registered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    raw = copy.deepcopy(_raw())
    raw["tenants"][0]["quota"]["train"]["gpu"] = 1000
    raw["node_pools"][0]["driver"] = {"version": "470.57.02"}
    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(pulumi.RunError, match="the site file has 2 errors; nothing was changed"),
    ):
        _run(raw)
    assert "quota-over-capacity site.tenants" in caplog.text
    assert "driver" in caplog.text


def test_a_control_plane_that_cannot_be_built_yet_ends_the_run_before_anything_is_made(
    caplog: pytest.LogCaptureFixture,
) -> None:
    raw = _raw()
    names = ["cp1", *(name for pool in site().node_pools for name in pool.node_names)]
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{}TqHVO0xEFjVQsV4Ll8BL5rZ9pC3kGkLsQ7hYp3C0Q"
    raw["control_plane"] = {
        "kind": "kubeadm",
        "version": "1.36.3",
        "endpoint": "10.20.0.10",
        "hosts": "cp1",
    }
    raw["network"] = {"cni": {"kind": "cilium", "pod_cidr": "10.244.0.0/16", "mtu": 8950}}
    raw["ssh"] = {"user": "ops", "private_key": "throw-away"}
    raw["hosts"] = {name: {"host_key": key.format(f"{i}h")} for i, name in enumerate(names)}
    with pytest.raises(pulumi.RunError, match="1 error; nothing was changed"):
        _run(raw)
    assert "not-offered site.control_plane.kind: kubeadm over SSH is planned" in caplog.text
    assert "gpu-cluster-sandbox up" in caplog.text


def test_a_dropped_tenant_ends_the_run(caplog: pytest.LogCaptureFixture) -> None:
    last = {"tenants": [{"name": "old", "state": "active"}]}
    with pytest.raises(pulumi.RunError, match="1 error;"):
        _run(_raw(), last)
    assert "tenant-dropped site.tenants: tenant old" in caplog.text


def test_a_stack_without_a_site_is_told_where_to_write_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pulumi.runtime.set_all_config({})
    with pytest.raises(pulumi.RunError):
        record(_program)
    assert "site-missing" in caplog.text


def test_a_chart_that_is_raised_past_its_crds_is_told_and_the_run_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    last = {"crds": {"node-feature-discovery": "0.18.0", "jobset": "0.11.0"}}
    with caplog.at_level(logging.WARNING):
        made = _run(_raw(), last)
    assert "crds-behind site.charts: chart node-feature-discovery goes from 0.18.0" in caplog.text
    assert "jobset" not in caplog.text, "which this site does not install"
    assert made.named("lab", "gpu-cluster:cluster:GpuCluster")


@pytest.mark.parametrize(
    "last", [{}, {"crds": "x"}, {"crds": {"node-feature-discovery": "0.19.0"}}]
)
def test_crds_that_are_the_charts_and_stacks_of_any_age_are_no_finding(
    caplog: pytest.LogCaptureFixture, last: dict[str, Any]
) -> None:
    with caplog.at_level(logging.WARNING):
        _run(_raw(), last)
    assert "crds-behind" not in caplog.text


BEFORE = {"versions": {"gpu_operator": "v26.3.3"}}


def test_another_operator_and_another_driver_do_not_come_in_one_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    last = {**BEFORE, "pools": [{"name": "train", "driver": "575.57.08"}]}
    with caplog.at_level(logging.ERROR), pytest.raises(pulumi.RunError):
        _run(_raw(), last)
    assert "operator-and-driver-at-once site.node_pools[0].driver" in caplog.text
    assert "put 575.57.08 back" in caplog.text


@pytest.mark.parametrize(
    "last",
    [
        {"versions": {"gpu_operator": GPU_OPERATOR}, "pools": [{"name": "train", "driver": "1.2"}]},
        {**BEFORE, "pools": [{"name": "gone", "driver": "575.57.08"}]},
        {**BEFORE, "pools": [{"name": "train", "driver": "580.173.02"}]},
        {**BEFORE, "pools": ["x", 3]},
        {**BEFORE, "pools": "x"},
        {"versions": 3},
    ],
    ids=["driver-alone", "another-pool", "operator-alone", "unreadable", "no-pools", "no-versions"],
)
def test_one_of_the_two_alone_goes_its_way(last: dict[str, Any]) -> None:
    assert _run(_raw(), last).named("lab", "gpu-cluster:cluster:GpuCluster")
