"""Alerts fire, stay silent, resolve and fire again, as promtool evaluates them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_site import cpu_pool, gpu_pool, made_site
from prometheus_checks import promtool, rehearse, run, write_rules

from pulumi_gpu_cluster.monitoring.alerts.cluster import cluster_alerts
from pulumi_gpu_cluster.monitoring.alerts.gpus import gpu_alerts
from pulumi_gpu_cluster.monitoring.alerts.rule import Alert, Group
from pulumi_gpu_cluster.monitoring.alerts.usage import usage
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs

Series = dict[str, str]
_POOLS = made_site(
    node_pools=[gpu_pool(), cpu_pool(nodes=None, selector={"cloud.io/poolName": "cpu"}, count=2)]
).node_pools
GROUPS = (usage(_POOLS), gpu_alerts(MonitoringArgs()), cluster_alerts())
ALERTS = {rule.name: rule for group in GROUPS for rule in group.rules if isinstance(rule, Alert)}

_EXPORTER = 'job="nvidia-dcgm-exporter"'
_GPU = f'{_EXPORTER}, node="gpu01", gpu="3", UUID="GPU-3", modelName="H100"'
_ALERT_GPU = {"node": "gpu01", "gpu": "3", "UUID": "GPU-3", "modelName": "H100"}
_STATE = 'job="kube-state-metrics"'
# Present everywhere, or another alert would join in.
_KNOWN = {f'kube_node_info{{{_STATE}, node="gpu01"}}': "1x600"}


def _expect(
    alert: str, at: str, labels: Sequence[dict[str, str]], value: str = ""
) -> dict[str, Any]:
    """What promtool is told to expect of an alert at a time."""
    rule = ALERTS[alert]
    expected: list[dict[str, Any]] = []
    for one in labels:
        texts = rule.as_dict()["annotations"]
        filled = {key: _filled(text, one, value) for key, text in texts.items()}
        expected.append(
            {"exp_labels": {"severity": rule.severity, **one}, "exp_annotations": filled}
        )
    return {"eval_time": at, "alertname": alert, "exp_alerts": expected}


def _filled(text: str, labels: dict[str, str], value: str) -> str:
    for name, label in labels.items():
        text = text.replace(f"{{{{ $labels.{name} }}}}", label)
    return text.replace("{{ $value }}", value)


def _rehearsal(series: Series, *expectations: dict[str, Any]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [
            {"series": name, "values": values} for name, values in {**_KNOWN, **series}.items()
        ],
        "alert_rule_test": list(expectations),
    }


def test_promtool_finds_nothing_wrong_with_any_rule(tmp_path: Path) -> None:
    said = run(promtool(), "check", "rules", write_rules(tmp_path, GROUPS))
    assert f"{sum(len(group.rules) for group in GROUPS)} rules found" in said


def test_a_rule_that_promtool_cannot_read_would_be_found(tmp_path: Path) -> None:
    broken = Group("broken", (Alert("Broken", "sum by (node (up)", "info", "s", "d"),))
    with pytest.raises(AssertionError, match="parse error"):
        run(promtool(), "check", "rules", write_rules(tmp_path, [broken]))


def test_an_expectation_that_does_not_hold_would_be_found(tmp_path: Path) -> None:
    hot = {f"DCGM_FI_DEV_GPU_TEMP{{{_GPU}}}": "90x30"}
    with pytest.raises(AssertionError, match="GpuTooHot"):
        rehearse(tmp_path, GROUPS, [_rehearsal(hot, _expect("GpuTooHot", "20m", []))])


def test_a_hot_gpu_is_told_after_five_minutes_and_no_more_once_it_is_cool(tmp_path: Path) -> None:
    temperature = {f"DCGM_FI_DEV_GPU_TEMP{{{_GPU}}}": "85x10 86x10 85x10 91x10"}
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                temperature,
                _expect("GpuTooHot", "10m", []),
                _expect("GpuTooHot", "13m", []),
                _expect("GpuTooHot", "18m", [_ALERT_GPU], "86"),
                _expect("GpuTooHot", "25m", []),
                _expect("GpuTooHot", "40m", [_ALERT_GPU], "91"),
            )
        ],
    )


def test_a_gpu_is_one_alert_though_each_of_its_instances_reports_the_heat(tmp_path: Path) -> None:
    instances = {
        f'DCGM_FI_DEV_GPU_TEMP{{{_GPU}, GPU_I_ID="{number}", GPU_I_PROFILE="3g.40gb"}}': "90x30"
        for number in (1, 2)
    }
    rehearse(
        tmp_path,
        GROUPS,
        [_rehearsal(instances, _expect("GpuTooHot", "20m", [_ALERT_GPU], "90"))],
    )


def test_the_limit_of_heat_is_the_sites(tmp_path: Path) -> None:
    groups = (gpu_alerts(MonitoringArgs(gpu_temperature="70C")),)
    warm = {f"DCGM_FI_DEV_GPU_TEMP{{{_GPU}}}": "75x30"}
    expected = _expect("GpuTooHot", "20m", [_ALERT_GPU], "75")
    expected["exp_alerts"][0]["exp_annotations"]["description"] = (
        groups[0].rules[0].as_dict()["annotations"]["description"]
    )
    rehearse(tmp_path, groups, [_rehearsal(warm, expected)])


def _xid(code: int, more: str = "") -> str:
    return f'DCGM_EXP_XID_ERRORS_COUNT{{{_GPU}, xid="{code}", window_size_in_ms="300000"{more}}}'


def test_a_fatal_xid_fires_at_once_resolves_with_its_window_and_fires_again(tmp_path: Path) -> None:
    # The last XID stays as it was all the time, and must not matter.
    series = {
        _xid(79): "0x5 1x4 0x10 1x4 0x10",
        f"DCGM_FI_DEV_XID_ERRORS{{{_GPU}}}": "0x5 79x40",
    }
    alert = {**_ALERT_GPU, "xid": "79"}
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("GpuXidFatal", "4m", []),
                _expect("GpuXidFatal", "7m", [alert]),
                _expect("GpuXidFatal", "15m", []),
                _expect("GpuXidFatal", "23m", [alert]),
                _expect("GpuXidFatal", "35m", []),
                _expect("GpuXidApplication", "7m", []),
                _expect("GpuXidUnclear", "7m", []),
            )
        ],
    )


def test_a_programs_error_goes_to_its_tenant_and_calls_nobody_out(tmp_path: Path) -> None:
    held = ', exported_namespace="ml-team", exported_pod="run-1"'
    alert = {
        "node": "gpu01",
        "gpu": "3",
        "UUID": "GPU-3",
        "modelName": "H100",
        "xid": "31",
        "exported_namespace": "ml-team",
        "exported_pod": "run-1",
        "tenant": "ml-team",
    }
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                {_xid(31, held): "1x10"},
                _expect("GpuXidApplication", "5m", [alert]),
                _expect("GpuXidFatal", "5m", []),
                _expect("GpuXidUnclear", "5m", []),
            )
        ],
    )


def test_an_error_without_a_known_remedy_is_told_and_a_harmless_one_is_not(tmp_path: Path) -> None:
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                {_xid(109): "1x10", _xid(999): "1x10", _xid(63): "1x10", _xid(43): "1x10"},
                _expect(
                    "GpuXidUnclear",
                    "5m",
                    [{**_ALERT_GPU, "xid": "109"}, {**_ALERT_GPU, "xid": "999"}],
                ),
                _expect("GpuXidFatal", "5m", []),
                _expect("GpuXidApplication", "5m", []),
            )
        ],
    )


def test_double_bit_errors_fire_until_the_gpu_is_reset(tmp_path: Path) -> None:
    errors = {f"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{_GPU}}}": "0x5 2x10 0x10"}
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                errors,
                _expect("GpuMemoryDoubleBitError", "4m", []),
                _expect("GpuMemoryDoubleBitError", "12m", [_ALERT_GPU], "2"),
                _expect("GpuMemoryDoubleBitError", "20m", []),
            ),
            _rehearsal(
                {f"DCGM_FI_DEV_ROW_REMAP_FAILURE{{{_GPU}}}": "0x5 1x10"},
                _expect("GpuMemoryRowRemapFailed", "4m", []),
                _expect("GpuMemoryRowRemapFailed", "8m", [_ALERT_GPU]),
            ),
        ],
    )


def test_a_gpu_that_a_pod_holds_and_does_not_use_is_told_after_two_hours(tmp_path: Path) -> None:
    held = f'{_GPU}, exported_namespace="ml-team", exported_pod="notebook-0"'
    free = _GPU.replace('gpu="3"', 'gpu="4"')
    # A moment of work begins the time anew.
    series = {
        f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{held}}}": "0.9x10 0x60 0.5x1 0x400",
        f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{free}}}": "0x500",
    }
    alert = {
        **_ALERT_GPU,
        "exported_namespace": "ml-team",
        "exported_pod": "notebook-0",
        "tenant": "ml-team",
    }
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("GpuHeldIdle", "70m", []),
                _expect("GpuHeldIdle", "195m", []),
                _expect("GpuHeldIdle", "220m", [alert]),
            )
        ],
    )


def test_a_gpu_node_whose_exporter_is_not_read_is_told_and_a_cpu_node_is_not(
    tmp_path: Path,
) -> None:
    label = 'label_gpu_cluster_io_pool="train"'
    series = {
        f'kube_node_labels{{{_STATE}, node="gpu01", {label}}}': "1x60",
        f'kube_node_labels{{{_STATE}, node="gpu02", {label}}}': "1x60",
        f'kube_node_labels{{{_STATE}, node="gpu03", {label}}}': "1x60",
        f'kube_node_labels{{{_STATE}, node="cpu1", label_cloud_io_pool_name="cpu"}}': "1x60",
        f'up{{{_EXPORTER}, node="gpu01"}}': "1x60",
        f'up{{{_EXPORTER}, node="gpu02"}}': "1x10 0x30 1x20",
    }
    silent = [{"node": node, "pool": "train", "gpu": "true"} for node in ("gpu02", "gpu03")]
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("GpuMetricsMissing", "10m", []),
                _expect("GpuMetricsMissing", "30m", silent),
                _expect("GpuMetricsMissing", "50m", silent[1:]),
            )
        ],
    )


def test_a_node_that_is_not_ready_is_told_after_five_minutes(tmp_path: Path) -> None:
    ready = f'{_STATE}, node="gpu01", condition="Ready"'
    series = {
        f'kube_node_status_condition{{{ready}, status="true"}}': "1x10 0x3 1x10 0x20",
        f'kube_node_status_condition{{{ready}, status="unknown"}}': "0x10 1x3 0x10 1x20",
    }
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("NodeNotReady", "13m", []),
                _expect("NodeNotReady", "32m", [{"node": "gpu01"}]),
            )
        ],
    )


def test_what_the_kernel_logged_is_told_until_somebody_mends_it(tmp_path: Path) -> None:
    def condition(kind: str, status: str, values: str) -> Series:
        labels = f'{_STATE}, node="gpu01", condition="{kind}", status="{status}"'
        return {f"kube_node_status_condition{{{labels}}}": values}

    series = {
        **condition("GpuFault", "true", "0x5 1x20 0x10"),
        **condition("GpuFault", "false", "1x5 0x20 1x10"),
        **condition("GpuMemoryFault", "true", "0x40"),
        **condition("DiskPressure", "true", "1x40"),
    }
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("NodeFaulty", "4m", []),
                _expect("NodeFaulty", "20m", [{"node": "gpu01", "condition": "GpuFault"}]),
                _expect("NodeFaulty", "30m", []),
            )
        ],
    )


def test_a_tenant_at_its_ceiling_is_told_and_one_that_is_leaving_is_not(tmp_path: Path) -> None:
    def quota(tenant: str, resource: str, kind: str) -> str:
        return (
            f'kube_resourcequota{{{_STATE}, namespace="{tenant}", resourcequota="gpu-cluster",'
            f' resource="{resource}", type="{kind}"}}'
        )

    gpus, other = "requests.nvidia.com/gpu", "gpu-cluster-objects"
    series = {
        quota("ml-team", gpus, "hard"): "8x60",
        quota("ml-team", gpus, "used"): "7x10 8x20 6x30",
        quota("ml-team", "pods", "hard"): "200x60",
        quota("ml-team", "pods", "used"): "20x60",
        quota("gone", "pods", "hard"): "0x60",
        quota("gone", "pods", "used"): "0x60",
        quota("ml-team", "services.nodeports", "hard").replace(
            '"gpu-cluster"', f'"{other}"'
        ): "0x9",
    }
    rehearse(
        tmp_path,
        GROUPS,
        [
            _rehearsal(
                series,
                _expect("TenantQuotaReached", "20m", []),
                _expect("TenantQuotaReached", "29m", [{"tenant": "ml-team", "resource": gpus}]),
                _expect("TenantQuotaReached", "45m", []),
            )
        ],
    )


def test_when_nothing_is_known_of_the_cluster_that_is_an_alert_itself(tmp_path: Path) -> None:
    silent = _rehearsal({}, _expect("ClusterStateUnknown", "20m", [{"job": "kube-state-metrics"}]))
    silent["input_series"] = [{"series": "up", "values": "1x30"}]
    rehearse(
        tmp_path,
        GROUPS,
        [silent, _rehearsal({}, _expect("ClusterStateUnknown", "20m", []))],
    )


def test_a_tenants_pod_that_calls_itself_a_gpu_exporter_sets_off_nothing(tmp_path: Path) -> None:
    forged = 'job="ml-team/metrics", node="gpu01", gpu="3", xid="79"'
    series = {
        f"DCGM_FI_DEV_GPU_TEMP{{{forged}}}": "200x30",
        f"DCGM_EXP_XID_ERRORS_COUNT{{{forged}}}": "9x30",
        f"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{{{forged}}}": "9x30",
    }
    names = ("GpuTooHot", "GpuXidFatal", "GpuMemoryDoubleBitError")
    rehearse(
        tmp_path,
        GROUPS,
        [_rehearsal(series, *(_expect(name, "20m", []) for name in names))],
    )
