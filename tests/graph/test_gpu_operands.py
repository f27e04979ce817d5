"""What the GPU Operator is told of its operands, drivers' objects and images."""

from __future__ import annotations

from typing import Any

import pytest
from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, record

from gpu_cluster_sandbox.charts import values_schema
from pulumi_gpu_cluster import GpuCluster, GpuOperator
from pulumi_gpu_cluster.gpu_operator.toolkit import runtime_of

DRIVER = "kubernetes:nvidia.com/v1alpha1:NVIDIADriver"
RELEASE = "kubernetes:helm.sh/v3:Release"
SECRET = "kubernetes:core/v1:Secret"  # noqa: S105 - a type
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NODE = "kubernetes:core/v1:NodePatch"
POOL = ("node_pools", 0, "driver")
CREDENTIALS = '{"auths": {"registry.lab.example": {"auth": "planted"}}}'
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def _graph(changes: Changes | None = None) -> Graph:
    one = site(changes)
    return record(
        lambda: GpuOperator(
            "op",
            one.gpu_operator,
            pools=one.node_pools,
            jobs="is-a-job",
            runtime=runtime_of(one.gpu_operator, one.control_plane),
            images=one.images,
            image_credentials=CREDENTIALS if one.images.credentials is not None else None,
            opts=provider_options("op"),
        )
    )


def _values(changes: Changes | None = None) -> Any:
    return _graph(changes).named("op-release", RELEASE).props["values"]


def _env(part: Any) -> dict[str, str]:
    return {one["name"]: one["value"] for one in part.get("env", [])}


def _specs(graph: Graph) -> dict[str, Any]:
    return {one.props["metadata"]["name"]: one.props["spec"] for one in graph.of(DRIVER)}


@pytest.mark.parametrize(
    ("devices", "cdi", "by_mounts"),
    [
        ("cdi", {"enabled": True}, "false"),
        ("nri", {"enabled": True, "nriPluginEnabled": True}, "false"),
        ("volume-mounts", {"enabled": False}, "true"),
    ],
)
def test_an_unprivileged_pod_sees_no_gpu_that_it_did_not_ask_for_however_gpus_come(
    devices: str, cdi: dict[str, bool], by_mounts: str
) -> None:
    values = _values({("gpu_operator",): {"devices": devices}})
    env = _env(values["toolkit"])
    assert env["ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED"] == "false"
    assert env["ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS"] == by_mounts
    assert values["cdi"] == cdi
    # With CDI the operator sets the strategy itself; another one would leave pods without GPUs.
    strategy = _env(values.get("devicePlugin", {})).get("DEVICE_LIST_STRATEGY")
    assert strategy == ("volume-mounts" if by_mounts == "true" else None)


@pytest.mark.parametrize(
    ("toolkit", "socket", "unit"),
    [
        ({}, None, None),
        ({"runtime": "rke2"}, "/run/k3s/containerd/containerd.sock", "rke2-agent.service"),
        ({"runtime": "k3s"}, "/run/k3s/containerd/containerd.sock", "k3s-agent.service"),
        ({"runtime": "cri-o"}, None, None),
        ({"socket": "/run/own.sock"}, "/run/own.sock", None),
    ],
)
def test_the_toolkit_finds_containerd_and_mig_manager_the_kubelet_of_each_distribution(
    toolkit: dict[str, str], socket: str | None, unit: str | None
) -> None:
    values = _values({("gpu_operator",): {"toolkit": toolkit}})
    assert _env(values["toolkit"]).get("CONTAINERD_SOCKET") == socket
    assert _env(values["migManager"]).get("HOST_KUBELET_SYSTEMD_SERVICE") == unit
    assert "CONTAINERD_CONFIG" not in _env(values["toolkit"]), "RKE2 breaks with it at a reboot"


def test_a_cluster_that_is_made_with_rke2_needs_no_word_about_its_containerd() -> None:
    made = site({("control_plane", "kind"): "rke2", ("control_plane", "kubeconfig"): None})
    assert runtime_of(made.gpu_operator, made.control_plane) == "rke2"


def test_containerds_own_file_is_read_where_its_answer_is_of_a_newer_form() -> None:
    values = _values({("gpu_operator",): {"toolkit": {"config": "/etc/containerd/config.toml"}}})
    assert _env(values["toolkit"])["RUNTIME_CONFIG_SOURCE"] == "file=/etc/containerd/config.toml"


def test_further_agents_run_only_where_they_are_asked_for() -> None:
    assert not {"dcgm", "nodeStatusExporter", "validator", "gds", "gdrcopy"} & set(_values())
    asked = {"dcgm": True, "node_status": True, "proof_by_workload": True}
    values = _values(
        {
            ("gpu_operator",): asked,
            POOL: {"version": "580.173.02", "kernel_module": "open", "gds": True, "gdrcopy": True},
        }
    )
    for agent in ("dcgm", "nodeStatusExporter", "gds", "gdrcopy"):
        assert values[agent] == {"enabled": True}, "the device plugin gives its devices to pods"
    assert _env(values["validator"]["plugin"]) == {"WITH_WORKLOAD": "true"}


def test_modules_beside_a_driver_come_by_images_that_its_object_names() -> None:
    graph = _graph(
        {POOL: {"version": "580.173.02", "kernel_module": "open", "gds": True, "gdrcopy": True}}
    )
    spec = _specs(graph)["train"]
    assert spec["gds"] == {
        "enabled": True,
        "repository": "nvcr.io/nvidia/cloud-native",
        "image": "nvidia-fs",
        "version": "2.29.4",
    }
    assert spec["gdrcopy"]["image"] == "gdrdrv"
    assert spec["kernelModuleType"] == "open"
    assert not {"gds", "gdrcopy"} & set(_specs(graph)["serve"]), "only the pool that asks"


@pytest.mark.parametrize(
    ("driver", "fabric", "rdma"),
    [
        ({"rdma": "peermem"}, "ndr400", {"enabled": True, "useHostMofed": False}),
        (
            {"rdma": "peermem"},
            {"link": "ndr400", "driver": "host"},
            {"enabled": True, "useHostMofed": True},
        ),
        ({"rdma": "dma-buf"}, "ndr400", None),
        ({}, "ndr400", None),
        (
            {"kernel_module": "proprietary"},
            "ndr400",
            {"enabled": True, "useHostMofed": False},
        ),
    ],
)
def test_peermem_waits_for_the_nic_driver_and_dma_buf_for_nothing(
    driver: dict[str, object], fabric: object, rdma: dict[str, bool] | None
) -> None:
    changes: Changes = {
        POOL: {"version": "580.173.02", **driver},
        ("node_pools", 0, "fabric"): fabric,
    }
    assert _specs(_graph(changes))["train"].get("rdma") == rdma


def test_ready_made_modules_pin_the_branch_and_an_object_that_cannot_change_is_made_anew() -> None:
    graph = _graph({POOL: {"version": "580.173.02", "precompiled": ["6.8.0-60-generic"]}})
    spec = _specs(graph)["train"]
    assert (spec["usePrecompiled"], spec["version"]) == (True, "580")


def test_a_driver_for_nodes_in_no_pool_is_there_only_where_it_is_asked_for() -> None:
    assert set(_specs(_graph())) == {"train", "serve"}
    asked: Changes = {("gpu_operator",): {"default_driver": "580.178.04"}}
    spec = _specs(_graph(asked))["gpu-cluster-default"]
    assert spec["default"] is True
    assert "nodeSelector" not in spec, "the operator takes a default only without one"
    own = {"enabled": True, "deployDefaultCR": False}
    assert _values(asked)["driver"]["nvidiaDriverCRD"] == own


def test_options_of_the_module_are_a_file_whose_name_changes_with_them() -> None:
    option = "NVreg_RestrictProfilingToAdminUsers=0"
    graph = _graph({POOL: {"version": "580.173.02", "module_options": [option]}})
    name = _specs(graph)["train"]["kernelModuleConfig"]["name"]
    (file,) = [one for one in graph.of(CONFIG_MAP) if one.props["metadata"]["name"] == name]
    assert file.props["data"] == {"nvidia.conf": f"{option}\n"}
    assert file.props["metadata"]["namespace"] == "gpu-operator"
    other = _graph({POOL: {"version": "580.173.02", "module_options": ["NVreg_A=1"]}})
    assert _specs(other)["train"]["kernelModuleConfig"]["name"] != name
    assert "kernelModuleConfig" not in _specs(graph)["serve"]


def test_packages_come_from_the_sites_own_sources_for_every_driver() -> None:
    changes: Changes = {
        ("gpu_operator",): {
            "packages": {
                "repositories": {"lab.list": "deb https://mirror.lab.example/ubuntu noble main"},
                "certificates": {"lab.crt": CERTIFICATE},
            }
        }
    }
    graph = _graph(changes)
    for spec in _specs(graph).values():
        assert spec["repoConfig"] == {"name": "driver-packages"}
        assert spec["certConfig"] == {"name": "driver-certificates"}
    release = graph.named("op-release", RELEASE)
    for name in ("op-driver-packages", "op-driver-certificates"):
        assert graph.waits_for(release, graph.named(name, CONFIG_MAP))
    hosts = {**changes, POOL: {"source": "host"}, ("node_pools", 1, "driver"): {"source": "host"}}
    assert not [one for one in _graph(hosts).of(CONFIG_MAP) if "driver-" in one.name]


def _images() -> Changes:
    return {
        ("images",): {
            "registry": "registry.lab.example/mirror",
            "credentials": CREDENTIALS,
            "pull_secrets": ["made-by-others"],
        },
        POOL: {"version": "580.173.02", "kernel_module": "open", "gds": True},
    }


def test_the_registrys_credentials_are_a_secret_that_every_pod_enters_by() -> None:
    graph = _graph(_images())
    secret = graph.named("op-images", SECRET)
    assert secret.props["type"] == "kubernetes.io/dockerconfigjson"
    assert graph.waits_for(graph.named("op-release", RELEASE), secret)
    names = ["gpu-cluster-images", "made-by-others"]
    assert secret.props["metadata"]["name"] == names[0]
    spec = _specs(graph)["train"]
    assert spec["imagePullSecrets"] == spec["gds"]["imagePullSecrets"] == names
    assert spec["repository"] == "registry.lab.example/mirror/nvidia"
    assert spec["gds"]["repository"] == "registry.lab.example/mirror/nvidia/cloud-native"


def test_nothing_of_the_credentials_is_told_outside_their_secret() -> None:
    graph = record(lambda: GpuCluster("c", site(_images())))
    for one in graph.resources:
        if one.type != SECRET:
            assert "planted" not in str(one.props).replace("planted-token", ""), one.name


def test_every_image_of_the_chart_comes_from_the_sites_registry() -> None:
    values = _values(_images())
    mirror = "registry.lab.example/mirror/nvidia"
    elsewhere = {
        ".".join(path)
        for path in _repositories(values_schema("gpu-operator"))
        if not _at(values, path).startswith(mirror)
    }
    # vGPU's own manager, off here, has no image but the one that its users build.
    assert elsewhere == {"vgpuManager.repository"}


def _repositories(schema: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, below in schema.get("properties", {}).items():
        if key == "repository":
            found.append((*path, key))
        elif path or key != "node-feature-discovery":
            found += _repositories(below, (*path, key))
    return found


def _at(values: Any, path: tuple[str, ...]) -> str:
    for key in path:
        values = values.get(key, {})
    return values if isinstance(values, str) else ""


def test_feature_discovery_comes_from_the_same_registry() -> None:
    graph = record(lambda: GpuCluster("c", site(_images())))
    values = graph.named("c-node-feature-discovery-release", RELEASE).props["values"]
    image = "registry.lab.example/mirror/nfd/node-feature-discovery"
    assert values["image"] == {"repository": image}
    assert values["imagePullSecrets"] == [
        {"name": "gpu-cluster-images"},
        {"name": "made-by-others"},
    ]


def test_without_a_registry_the_chart_decides_where_images_are() -> None:
    assert "repository" not in str(_values())
    assert "imagePullSecrets" not in str(_values())


@pytest.mark.parametrize(
    ("driver", "off"),
    [
        ("580.173.02", set[str]()),
        ({"source": "host"}, {"driver", "container-toolkit"}),
        ({"source": "managed"}, {"driver", "container-toolkit"}),
        ({"source": "host", "toolkit": "operator"}, {"driver"}),
    ],
)
def test_hosts_that_bring_their_own_say_so_in_labels_before_the_operator_comes(
    driver: object, off: set[str]
) -> None:
    graph = record(lambda: GpuCluster("c", site({POOL: driver})))
    node = graph.named("c-gpu01", NODE)
    labels = node.props["metadata"]["labels"]
    told = {key for key in labels if key.startswith("nvidia.com/gpu.deploy.")}
    assert told == {f"nvidia.com/gpu.deploy.{part}" for part in off}
    assert all(labels[key] == "false" for key in told)
    assert graph.waits_for(graph.named("c-gpu-operator-release", RELEASE), node)
