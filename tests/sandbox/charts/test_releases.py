"""The stand-in charts under the real Helm: releases that settle, record, and refuse typos."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from bare_cluster import POLICY, QUEUE, BareCluster, Json, until
from helm_releases import VALUES, Releases

TYPOS: dict[str, Json] = {
    "gpu-operator": {"driver": {"verison": "580.173.02"}},
    "network-operator": {"nfd": {"deployNodeFeatureRule": True}},
    "kueue": {"controllerManager": {"replica": 1}},
    "volcano": {"custom": {"scheduler_config_overide": "actions: allocate"}},
}


@pytest.mark.parametrize("chart", VALUES)
def test_a_release_records_the_values_it_was_given(
    releases: Releases, bare: BareCluster, chart: str
) -> None:
    recorded = bare.get("ConfigMap", f"{chart}-values", f"{chart}-system")
    assert yaml.safe_load(recorded["data"]["values.yaml"]) == VALUES[chart]


def test_the_gpu_operators_values_make_a_cluster_policy_that_becomes_ready(
    releases: Releases, bare: BareCluster
) -> None:
    spec: dict[str, Any] = bare.get(POLICY, "cluster-policy")["spec"]
    assert spec["mig"] == {"strategy": "mixed"}
    assert spec["driver"]["useNvidiaDriverCRD"] is True
    assert spec["driver"]["upgradePolicy"]["podDeletion"]["force"] is True
    assert spec["driver"]["upgradePolicy"]["drain"]["timeoutSeconds"] == 300, "the chart's own"
    assert spec["devicePlugin"]["image"] == "k8s-device-plugin", "the chart's own"
    assert "image" not in spec["driver"], "that stands in the NVIDIADrivers"
    until(
        lambda: bare.get(POLICY, "cluster-policy").get("status", {}).get("state") == "ready",
        "the ClusterPolicy is ready",
    )


@pytest.mark.parametrize("queue", ["root", "default"])
def test_volcanos_own_queues_are_there_and_open(
    releases: Releases, bare: BareCluster, queue: str
) -> None:
    until(
        lambda: bare.get(QUEUE, queue).get("status", {}).get("state") == "Open",
        f"queue {queue} is open",
    )


def test_the_same_values_again_change_nothing(releases: Releases) -> None:
    again = releases.preview(VALUES)
    assert again.code == 0, again.output
    assert "unchanged" in again.output
    assert "to update" not in again.output


def test_a_typo_in_each_charts_values_fails_and_says_where(releases: Releases) -> None:
    refused = releases.up({chart: {**VALUES[chart], **TYPOS[chart]} for chart in VALUES})
    assert refused.code != 0, refused.output
    for chart, ((parent, below),) in ((chart, typo.items()) for chart, typo in TYPOS.items()):
        (typo,) = below
        complaint = f"{chart}:\n- at '/{parent}': additional properties '{typo}' not allowed"
        said = "\n".join(line.strip() for line in refused.output.splitlines())
        assert complaint in said, refused.output


def test_a_release_is_upgraded_with_its_hooks(releases: Releases, bare: BareCluster) -> None:
    changed = {**VALUES, "gpu-operator": {**VALUES["gpu-operator"], "mig": {"strategy": "single"}}}
    done = releases.up(changed)
    assert done.code == 0, done.output
    assert bare.get(POLICY, "cluster-policy")["spec"]["mig"] == {"strategy": "single"}
