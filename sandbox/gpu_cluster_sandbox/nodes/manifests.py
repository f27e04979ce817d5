"""The manifest of each simulated node, with the status a kubelet would have reported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpu_cluster_sandbox.stages.devices import LAYOUTS_NOTE
from pulumi_gpu_cluster.network.resources import fabric_pools
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import parts_of
from pulumi_gpu_cluster.node_pools.gpu_args import GpuArgs
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.site import Site

SYSTEM_NODE: Final = "sandbox-system"
"""The node that is there only where no pool takes the operators' pods."""

RDMA_NOTE: Final = "sandbox.gpu-cluster.io/rdma"
"""The annotation with the RDMA resources that a node's adapters would give."""

OS_RELEASE: Final = 'ID=ubuntu\nVERSION_ID="24.04"\n'
"""What /etc/os-release says on every simulated node, as far as somebody asks."""

Manifest = dict[str, Any]

_SIMULATED: Final = {"kwok.x-k8s.io/node": "fake"}
_KERNEL: Final = "6.8.0-60-generic"
_PODS: Final = "110"  # a kubelet's default
_DISK: Final = "1Ti"
_MIB_PER_GB: Final = 1024
_WHOLE: Final = "whole"
_DEFAULT_STRATEGY: Final = "single"  # the GPU Operator chart's default


def simulated_nodes(site: Site, *, discovered: bool = True) -> list[Manifest]:
    """A node for each machine of the site's pools.

    Pools that are found by a selector get nodes `<pool>-1` and so on, as many as capacity is
    proven against, that carry the selector's labels and the pool's taints, as the cloud's own
    would. Where no pool would take an operator's pod, a node without GPUs is added for them.

    Args:
        site: The site whose machines are simulated.
        discovered: Whether the GPU Operator's label of the GPUs' presence is there: not where
            its controller runs and sets it.

    Raises:
        KeyError: A pool's GPU model is not in the catalogue; the site's rules report that first.
    """
    strategies = {pool.mig.strategy for pool in site.node_pools if pool.mig is not None}
    usual = next(iter(strategies)) if len(strategies) == 1 else _DEFAULT_STRATEGY
    nodes = [
        _node(
            name,
            site.control_plane.kubernetes_version,
            labels={
                **(pool.selector or {}),
                **_gpu_labels(pool.gpu, pool.mig.strategy if pool.mig is not None else usual),
                **_presence(pool.gpu, discovered=discovered),
                **_nic_labels(pool),
            },
            resources={"cpu": str(pool.cpus), "memory": pool.memory, **_gpu_resources(pool.gpu)},
            pool=pool,
        )
        for pool in site.node_pools
        for name in _names(pool)
    ]
    if not any(pool.gpu is None and not pool.taints and pool.size for pool in site.node_pools):
        resources = {"cpu": "16", "memory": "64Gi"}
        nodes.append(_node(SYSTEM_NODE, site.control_plane.kubernetes_version, {}, resources))
    return nodes


def _names(pool: NodePoolArgs) -> Iterator[str]:
    if pool.nodes is not None:
        yield from pool.node_names
    else:
        yield from (f"{pool.name}-{number}" for number in range(1, pool.size + 1))


def _node(
    name: str,
    version: str,
    labels: Mapping[str, str],
    resources: Mapping[str, str],
    pool: NodePoolArgs | None = None,
) -> Manifest:
    taints = _taints_of_the_cloud(pool) if pool is not None else []
    notes = {**_rdma_notes(pool), **_layout_notes(pool)} if pool is not None else {}
    amounts = {**resources, "pods": _PODS, "ephemeral-storage": _DISK}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {**_SIMULATED, **notes},
            "labels": {**_kubelet_labels(name), **_os_labels(), **labels},
        },
        "spec": {"taints": taints} if taints else {},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "nodeInfo": _node_info(version),
        },
    }


def _kubelet_labels(name: str) -> dict[str, str]:
    return {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }


def _os_labels() -> dict[str, str]:
    """Those of NFD's labels that GPU drivers are chosen by."""
    return {
        "feature.node.kubernetes.io/kernel-version.full": _KERNEL,
        "feature.node.kubernetes.io/kernel-version.major": "6",
        "feature.node.kubernetes.io/kernel-version.minor": "8",
        "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "24.04",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID.major": "24",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID.minor": "04",
    }


def _gpu_labels(gpu: GpuArgs | None, strategy: str) -> dict[str, str]:
    """NFD's label of the PCI vendor, and GFD's of what it is."""
    if gpu is None:
        return {}
    model = model_of(gpu)
    if model is None:
        raise KeyError(gpu.model)
    major, minor = model.compute_capability
    capable = model.mig is not None
    return {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "nvidia.com/gpu.product": model.gfd_product,
        "nvidia.com/gpu.count": str(gpu.count),
        # Close to what the driver prints, which is less by what firmware keeps for itself.
        "nvidia.com/gpu.memory": str(model.memory_gb * _MIB_PER_GB),
        "nvidia.com/gpu.family": {"Ada": "ada-lovelace"}.get(
            model.architecture, model.architecture.lower()
        ),
        "nvidia.com/gpu.compute.major": str(major),
        "nvidia.com/gpu.compute.minor": str(minor),
        "nvidia.com/mig.capable": str(capable).lower(),
        **({"nvidia.com/mig.strategy": strategy} if capable else {}),
    }


def _presence(gpu: GpuArgs | None, *, discovered: bool) -> dict[str, str]:
    """The operator's label of a node that has GPUs."""
    return {"nvidia.com/gpu.present": "true"} if gpu is not None and discovered else {}


def _nic_labels(pool: NodePoolArgs) -> dict[str, str]:
    """NFD's label of NVIDIA's network adapters."""
    return {} if pool.fabric is None else {"feature.node.kubernetes.io/pci-15b3.present": "true"}


def _rdma_notes(pool: NodePoolArgs) -> dict[str, str]:
    """What the device plugins of the Network Operator would offer, for its stage to bring about."""
    offered = {fabric.resource: str(fabric.per_node) for fabric in fabric_pools([pool])}
    return {RDMA_NOTE: json.dumps(offered)} if offered else {}


def _layout_notes(pool: NodePoolArgs) -> dict[str, str]:
    """What layouts give that the stages do not know: the site's own, and those of its own GPUs."""
    told = pool.gpu is not None and pool.gpu.facts is not None
    layouts: dict[str, dict[str, int]] = {}
    for cut in (part.cut for part in parts_of(pool)):
        if cut.is_own or (told and cut.layout):
            total = layouts.setdefault(cut.layout, {})
            for instances in cut.gpus:
                for profile, count in ({_WHOLE: 1} if instances is None else instances).items():
                    label = profile.replace("+", ".")
                    total[label] = total.get(label, 0) + count
    return {LAYOUTS_NOTE: json.dumps(layouts, sort_keys=True)} if layouts else {}


def _gpu_resources(gpu: GpuArgs | None) -> dict[str, str]:
    return {} if gpu is None else {"nvidia.com/gpu": str(gpu.count)}


def _taints_of_the_cloud(pool: NodePoolArgs) -> list[dict[str, str]]:
    """A selector's nodes come with their taints; a hostlist's nodes get theirs from the product."""
    if pool.selector is None:
        return []
    return [taint.model_dump() for taint in pool.taints]


def _node_info(version: str) -> dict[str, str]:
    return {
        "architecture": "amd64",
        "bootID": "",
        "containerRuntimeVersion": "containerd://2.1.6",
        "kernelVersion": _KERNEL,
        "kubeProxyVersion": "",
        "kubeletVersion": f"v{version}",
        "machineID": "",
        "operatingSystem": "linux",
        "osImage": "Ubuntu 24.04 LTS",
        "systemUUID": "",
    }
