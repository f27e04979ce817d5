"""Recordings of GPU use: every GPU once, every tenant its own, and what is nobody's apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from made_site import gpu_pool, made_site
from prometheus_checks import rehearse

from pulumi_gpu_cluster.catalog.dcgm_metrics import ATTRIBUTES_SHARES_FROM
from pulumi_gpu_cluster.monitoring.alerts.usage import usage
from pulumi_gpu_cluster.monitoring.promql import GPU_BUSY, NODE_POOL, TENANT_BUSY, TENANT_HELD

GROUP = usage(
    made_site(
        node_pools=[
            gpu_pool(nodes=None, selector={"cloud/nodePool": "h100", "tier": 'a"b'}, count=2)
        ]
    ).node_pools
)


def _busy(gpu: str, held_by: str = "", metric: str = "PROF_GR_ENGINE_ACTIVE", **more: str) -> str:
    labels = {
        "job": "nvidia-dcgm-exporter",
        "node": "gpu01",
        "gpu": gpu,
        "exported_namespace": held_by,
        "exported_pod": held_by and "run-0",
        **more,
    }
    inside = ", ".join(f'{name}="{value}"' for name, value in labels.items() if value)
    return f"DCGM_FI_{metric}{{{inside}}}"


def _recorded(folder: Path, series: dict[str, str], query: str, samples: dict[str, float]) -> None:
    """Compares what a query yields after some minutes with samples by their labels."""
    expected: list[dict[str, Any]] = [
        {"labels": labels, "value": value} for labels, value in samples.items()
    ]
    rehearsal = {
        "interval": "1m",
        "input_series": [{"series": name, "values": value} for name, value in series.items()],
        "promql_expr_test": [{"expr": query, "eval_time": "5m", "exp_samples": expected}],
    }
    rehearse(folder, [GROUP], [rehearsal])


def test_work_is_counted_for_the_tenant_whose_pod_holds_the_gpu(tmp_path: Path) -> None:
    series = {
        _busy("0", "ml-team"): "0.5x9",
        _busy("1", "ml-team"): "0.25x9",
        _busy("2", "vision"): "1x9",
    }
    _recorded(
        tmp_path,
        series,
        TENANT_BUSY,
        {f'{TENANT_BUSY}{{tenant="ml-team"}}': 0.75, f'{TENANT_BUSY}{{tenant="vision"}}': 1},
    )


def test_work_of_no_pod_that_is_known_is_a_line_of_its_own(tmp_path: Path) -> None:
    # As a GPU that is shared by time, whose exporter knows none of the pods.
    series = {
        _busy("0", "ml-team"): "0.5x9",
        _busy("1"): "0.75x9",
        _busy("2"): "0x9",
    }
    _recorded(
        tmp_path,
        series,
        TENANT_BUSY,
        {
            f'{TENANT_BUSY}{{tenant="ml-team"}}': 0.5,
            f'{TENANT_BUSY}{{tenant="unattributed"}}': 0.75,
        },
    )


def test_only_gpus_of_pods_are_held(tmp_path: Path) -> None:
    series = {_busy("0", "ml-team"): "0x9", _busy("1"): "1x9"}
    _recorded(tmp_path, series, TENANT_HELD, {f'{TENANT_HELD}{{tenant="ml-team"}}': 1})


def test_instances_of_a_gpu_count_each_and_by_their_profile(tmp_path: Path) -> None:
    series = {
        _busy("0", "ml-team", GPU_I_ID=number, GPU_I_PROFILE="3g.40gb"): "1x9"
        for number in ("1", "2")
    }
    _recorded(
        tmp_path,
        series,
        TENANT_HELD,
        {f'{TENANT_HELD}{{tenant="ml-team", GPU_I_PROFILE="3g.40gb"}}': 2},
    )


def test_a_gpu_without_profiling_counts_by_its_kernels_and_one_with_both_counts_once(
    tmp_path: Path,
) -> None:
    series = {
        _busy("0", "ml-team"): "0.5x9",
        _busy("0", "ml-team", metric="DEV_GPU_UTIL"): "90x9",
        _busy("1", "ml-team", metric="DEV_GPU_UTIL"): "40x9",
    }
    _recorded(tmp_path, series, f"sum({GPU_BUSY})", {"{}": 0.9})


def test_whatever_an_exporter_calls_its_node_changes_nothing(tmp_path: Path) -> None:
    series = {
        _busy("0", "ml-team", Hostname="gpu01"): "0.5x9",
        _busy("1", "ml-team", hostname="gpu01"): "0.5x9",
    }
    _recorded(tmp_path, series, f"count by (node) ({GPU_BUSY})", {'{node="gpu01"}': 2})


def _share(gpu: str, tenant: str, share: int, percent: int) -> dict[str, str]:
    """A share of a GPU: the kernels' time is the pod's own, the engine's the whole GPU's."""
    pod = {"exported_pod": f"{tenant}-{share}", "vgpu": str(share)}
    return {_busy(gpu, tenant, metric="DEV_GPU_UTIL", **pod): f"{percent}x9"}


def test_of_a_gpu_shared_by_time_each_tenant_has_its_own_work_and_the_rest_is_nobodys(
    tmp_path: Path,
) -> None:
    engine = {
        _busy("0", tenant, exported_pod=f"{tenant}-{share}", vgpu=str(share)): "0.95x9"
        for share, tenant in enumerate(("ml-team", "vision"))
    }
    series = {
        **engine,
        **_share("0", "ml-team", 0, 50),
        **_share("0", "vision", 1, 25),
        _busy("0", metric="DEV_GPU_UTIL"): "100x9",
    }
    _recorded(
        tmp_path,
        series,
        TENANT_BUSY,
        {
            f'{TENANT_BUSY}{{tenant="ml-team"}}': 0.5,
            f'{TENANT_BUSY}{{tenant="vision"}}': 0.25,
            f'{TENANT_BUSY}{{tenant="unattributed"}}': 0.25,
        },
    )
    _recorded(
        tmp_path,
        series,
        TENANT_HELD,
        {f'{TENANT_HELD}{{tenant="{one}"}}': 1 for one in ("ml-team", "vision")},
    )


def test_shares_that_say_they_work_more_than_their_gpu_leave_nothing_and_no_debt(
    tmp_path: Path,
) -> None:
    series = {
        **_share("0", "ml-team", 0, 60),
        **_share("0", "vision", 1, 60),
        _busy("0", metric="DEV_GPU_UTIL"): "100x9",
    }
    unattributed = f'{TENANT_BUSY}{{tenant="unattributed"}}'
    _recorded(tmp_path, series, unattributed, {unattributed: 0})


def test_a_whole_gpu_beside_shared_ones_counts_once_though_it_is_told_twice(
    tmp_path: Path,
) -> None:
    # As an exporter that looks for shares tells of a pod that has the GPU to itself.
    series = {
        _busy("0", "ml-team"): "0.5x9",
        _busy("0", "ml-team", metric="DEV_GPU_UTIL"): "70x9",
        _busy("0", metric="DEV_GPU_UTIL"): "70x9",
        **_share("1", "vision", 0, 10),
        _busy("1", metric="DEV_GPU_UTIL"): "10x9",
    }
    _recorded(tmp_path, series, f"sum({GPU_BUSY})", {"{}": 0.6})


@pytest.mark.parametrize(
    ("tenants", "busy"),
    [
        (("ml-team",), {"ml-team": 0.75}),
        (("ml-team", "vision"), {"unattributed": 0.75}),
        ((), {"unattributed": 0.75}),
    ],
)
def test_a_shared_instance_is_its_pods_while_that_is_alone_on_it_and_nobodys_otherwise(
    tmp_path: Path, tenants: tuple[str, ...], busy: dict[str, float]
) -> None:
    instance = {"GPU_I_ID": "1", "GPU_I_PROFILE": "3g.40gb"}
    series = {
        _busy("0", tenant, exported_pod=f"run-{share}", vgpu=str(share), **instance): "0.75x9"
        for share, tenant in enumerate(tenants)
    }
    _recorded(
        tmp_path,
        series or {_busy("0", **instance): "0.75x9"},
        TENANT_BUSY,
        {
            f'{TENANT_BUSY}{{tenant="{name}", GPU_I_PROFILE="3g.40gb"}}': value
            for name, value in busy.items()
        },
    )


def test_an_idle_pod_on_a_busy_shared_gpu_is_known_as_idle(tmp_path: Path) -> None:
    series = {
        **_share("0", "ml-team", 0, 0),
        **_share("0", "vision", 1, 90),
        _busy("0", metric="DEV_GPU_UTIL"): "90x9",
    }
    _recorded(tmp_path, series, f'sum({GPU_BUSY}{{tenant="ml-team"}})', {"{}": 0})


def test_a_pool_found_by_a_selector_knows_its_nodes_by_all_of_its_labels(tmp_path: Path) -> None:
    def node(name: str, tier: str) -> str:
        labels = f'label_cloud_node_pool="h100", label_tier="{tier}"'
        return f'kube_node_labels{{job="kube-state-metrics", node="{name}", {labels}}}'

    series = {node("n1", 'a\\"b'): "1x9", node("n2", "other"): "1x9"}
    _recorded(
        tmp_path,
        series,
        NODE_POOL,
        {f'{NODE_POOL}{{node="n1", pool="train", gpu="true"}}': 1},
    )


def test_the_charts_exporter_knows_a_pods_own_work_on_a_shared_gpu(root: Path) -> None:
    values = root.parent / "shared" / "charts" / "gpu-operator" / "values.yaml"
    if not values.is_file():
        pytest.skip("the chart's values are not on this machine")
    version: str = yaml.safe_load(values.read_text("utf-8"))["dcgmExporter"]["version"]
    # DCGM's version, the exporter's, and what the image is built on.
    exporter = tuple(int(part) for part in version.split("-")[1].split("."))
    assert exporter >= ATTRIBUTES_SHARES_FROM
