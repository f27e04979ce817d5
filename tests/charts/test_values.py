"""Value paths that the real charts know pass, and a typo in one is caught at its place."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest
from jsonschema import Draft7Validator

from gpu_cluster_sandbox.charts import unchecked, values_schema
from gpu_cluster_sandbox.charts.catalogue import STAND_INS

Values = dict[str, Any]

KNOWN: dict[str, Values] = {
    "gpu-operator": {
        "driver": {
            "enabled": True,
            "version": "580.173.02",
            "kernelModuleType": "open",
            "nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False},
            "upgradePolicy": {"gpuPodDeletion": {"force": True}, "maxUnavailable": 2},
            "env": [{"name": "A", "value": "b"}],
        },
        "operator": {
            "version": "v26.7.0",
            "nodeSelector": {"example.org/any": "label"},
            "resources": {"limits": {"cpu": 1, "example.org/any": 2}},
        },
        "toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": "/run/x.sock"}]},
        "hostPaths": {"kubeletRootDir": "/var/lib/kubelet"},
        "dcgmExporter": {"config": {"name": "metrics"}, "serviceMonitor": {"enabled": False}},
        "migManager": {"config": {"name": "layouts", "create": True, "data": {"config.yaml": "x"}}},
        "nfd": {"enabled": True},
        "node-feature-discovery": {
            "worker": {"config": {"sources": {"pci": {}}}, "tolerations": [], "extraEnvs": []},
            "master": {"nodeSelector": {"a": "b"}},
        },
        "global": {"imagePullSecrets": []},
    },
    "cilium": {
        "ipam": {"operator": {"clusterPoolIPv4PodCIDRList": ["10.244.0.0/16"]}},
        "cni": {"exclusive": False},
        "MTU": 8950,
        "operator": {"podDisruptionBudget": {"enabled": True}},
    },
    "tigera-operator": {
        "installation": {
            "cni": {"type": "Calico"},
            "calicoNetwork": {"mtu": 8950, "ipPools": [{"cidr": "10.244.0.0/16"}]},
        },
        "whisker": {"enabled": False},
    },
    "network-operator": {
        "nfd": {"enabled": False, "deployNodeFeatureRules": True},
        "sriovNetworkOperator": {"enabled": True},
        "sriov-network-operator": {"operator": {"resourcePrefix": "nvidia.com"}},
        "operator": {"resources": {"limits": {"memory": "1Gi"}}},
    },
    "node-feature-discovery": {
        "worker": {"config": {"sources": {"pci": {}}}, "tolerations": []},
        "postDeleteCleanup": False,
    },
    "kube-prometheus-stack": {
        "defaultRules": {"disabled": {"KubeNodeNotReady": True}},
        "prometheus": {
            "prometheusSpec": {
                "ruleSelectorNilUsesHelmValues": False,
                "storageSpec": {"volumeClaimTemplate": {"spec": {}}},
            }
        },
        "alertmanager": {"alertmanagerSpec": {"configSecret": "routes"}},
        "grafana": {"admin": {"existingSecret": "account"}},
    },
    "kueue": {
        "controllerManager": {
            "replicas": 2,
            "featureGates": [{"name": "TopologyAwareScheduling", "enabled": True}],
            "manager": {
                "priorityClassName": "system-cluster-critical",
                "resources": {"limits": {"memory": "2Gi"}},
                "podSecurityContext": {"fsGroup": 1},
            },
            "tolerations": [{"operator": "Exists"}],
        },
        "managerConfig": {"controllerManagerConfigYaml": "kind: Configuration"},
        "enablePrometheus": True,
        "metrics": {"serviceMonitor": {"tlsConfig": {"insecureSkipVerify": True}}},
    },
    "node-problem-detector": {
        "settings": {
            "custom_monitor_definitions": {"mine.json": "{}"},
            "log_monitors": ["/custom-config/mine.json"],
        },
        "metrics": {"enabled": True},
        "resources": {"limits": {"memory": "256Mi"}},
        "tolerations": [{"operator": "Exists"}],
    },
    "rook-ceph": {
        "crds": {"enabled": True},
        "tolerations": [{"operator": "Exists"}],
        "csi": {"cephcsi": {"tag": "v3.17.0"}, "serviceMonitor": {"labels": {"a": "b"}}},
        "ceph-csi-operator": {"controllerManager": {"tolerations": []}},
    },
    "ceph-csi-drivers": {
        "operatorConfig": {"namespace": "rook-ceph"},
        "drivers": {
            "rbd": {"name": "rook-ceph.rbd.csi.ceph.com", "nodePlugin": {"tolerations": []}},
            "nfs": {"enabled": False},
        },
    },
    "volcano": {
        "basic": {"image_registry": "mirror.example.org", "image_pull_policy": "IfNotPresent"},
        "custom": {
            "scheduler_config_override": "actions: allocate",
            "scheduler_replicas": 2,
            "scheduler_resources": {"limits": {"cpu": 1}},
            "default_tolerations": [{"operator": "Exists"}],
            "default_sc": {"runAsUser": 3000},
            "webhooks_namespace_selector_expressions": [{"key": "a", "operator": "Exists"}],
        },
    },
    "cert-manager": {
        "crds": {"enabled": True, "keep": True},
        "replicaCount": 2,
        "webhook": {"replicaCount": 2, "podDisruptionBudget": {"enabled": True}},
        "global": {"leaderElection": {"namespace": "cert-manager"}},
    },
    "slurm-operator-crds": {},
    "slurm-operator": {
        "operator": {"replicas": 2, "pdb": {"enabled": True, "minAvailable": 1}},
        "certManager": {"enabled": True},
        "crds": {"enabled": False},
    },
    "mariadb-operator-crds": {},
    "mariadb-operator": {
        "ha": {"enabled": True, "replicas": 2},
        "webhook": {"cert": {"certManager": {"enabled": True}}},
        "certController": {"pdb": {"enabled": True}},
    },
}

TYPOS: list[tuple[str, str, object]] = [
    ("gpu-operator", "driver.nvidiaDriverCrd", {"enabled": True}),
    ("gpu-operator", "driver.upgradePolicy.podDeletion", {"force": True}),
    ("gpu-operator", "migManger", {"enabled": True}),
    ("gpu-operator", "node-feature-discovery.worker.toleration", []),
    ("cilium", "ipam.operator.clusterPoolIPv4PodCIDR", "10.244.0.0/16"),
    ("tigera-operator", "installation.calicoNetworks", {}),
    ("network-operator", "nfd.deployNodeFeatureRule", True),
    ("network-operator", "sriov-network-operator.operator.resourcesPrefix", "nvidia.com"),
    ("node-feature-discovery", "worker.toleration", []),
    ("kube-prometheus-stack", "prometheus.prometheusSpec.ruleSelectorNilUsesHelmValue", False),
    ("kueue", "controllerManager.replica", 2),
    ("kueue", "controllerManager.manager.resources.limit", {"cpu": 1}),
    ("kueue", "managerConfig.controllerManagerConfigYAML", "kind: Configuration"),
    ("node-problem-detector", "settings.log_monitor", []),
    ("node-problem-detector", "tolerationss", []),
    ("rook-ceph", "crds.enable", True),
    ("rook-ceph", "csi.cephcsi.image", "quay.io/cephcsi/cephcsi"),
    ("ceph-csi-drivers", "drivers.rbd.tolerations", []),
    ("ceph-csi-drivers", "operatorConfig.driverSpecDefault", {}),
    ("volcano", "custom.scheduler_config_overide", "actions: allocate"),
    ("volcano", "basic.image_repository", "mirror.example.org"),
    ("cert-manager", "webhook.replicas", 2),
    ("cert-manager", "installCRDS", True),
    ("slurm-operator-crds", "crds", {"keep": True}),
    ("slurm-operator", "operator.podDisruptionBudget", {"enabled": True}),
    ("mariadb-operator-crds", "crds", {"keep": True}),
    ("mariadb-operator", "webhook.replicas", 2),
]


def complaints(chart: str, values: Values) -> list[tuple[str, str]]:
    """Path and validator of each complaint."""
    errors = cast("Any", Draft7Validator(values_schema(chart))).iter_errors(values)
    return [(".".join(map(str, error.absolute_path)), str(error.validator)) for error in errors]


def with_value(values: Values, path: str, value: object) -> Values:
    changed = copy.deepcopy(values)
    *above, key = path.split(".")
    inner = changed
    for step in above:
        inner = inner.setdefault(step, {})
    inner[key] = value
    return changed


@pytest.mark.parametrize("chart", KNOWN)
def test_values_that_the_real_chart_knows_pass(chart: str) -> None:
    assert complaints(chart, KNOWN[chart]) == []


@pytest.mark.parametrize(("chart", "path", "value"), TYPOS)
def test_a_typo_is_caught_where_it_stands(chart: str, path: str, value: object) -> None:
    parent = path.rpartition(".")[0]
    assert complaints(chart, with_value(KNOWN[chart], path, value)) == [
        (parent, "additionalProperties")
    ]


@pytest.mark.parametrize("chart", STAND_INS)
def test_a_word_that_no_chart_knows_is_caught_by_each(chart: str) -> None:
    assert complaints(chart, {"no-such-word": True}) == [("", "additionalProperties")]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("driver", "580.173.02"),
        ("driver.version", {"major": 580}),
        ("driver.env", {"A": "b"}),
        ("operator.nodeSelector", "gpu"),
    ],
)
def test_a_value_of_another_shape_is_caught(path: str, value: object) -> None:
    values = with_value(KNOWN["gpu-operator"], path, value)
    assert complaints("gpu-operator", values) == [(path, "type")]


@pytest.mark.parametrize("value", [580, True, "580", None])
def test_a_scalar_may_be_of_any_type(value: object) -> None:
    assert complaints("gpu-operator", {"driver": {"version": value}}) == []


def test_what_cannot_be_checked_is_named() -> None:
    assert {name: keys for name, keys in unchecked().items() if keys} == {
        "kube-prometheus-stack": (
            "crds",
            "grafana",
            "kube-state-metrics",
            "prometheus-node-exporter",
            "prometheus-windows-exporter",
        ),
        "rook-ceph": ("ceph-csi-operator", "library"),
        "volcano": ("jobflow",),
    }
    assert complaints("volcano", {"jobflow": {"whatever": {"you": "like"}}}) == []


def test_the_schema_of_an_unknown_chart_names_those_there_are() -> None:
    with pytest.raises(KeyError, match="no stand-in for chart 'helm'; there is gpu-operator"):
        values_schema("helm")
