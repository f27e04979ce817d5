"""Design rules of shared GPUs: what can be shared, by how many, under which name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.catalog.gpus import GpuModel
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.cuts import is_cut, parts_of
from pulumi_gpu_cluster.node_pools.gpu_model import model_of
from pulumi_gpu_cluster.node_pools.plugin_config import plugin_config
from pulumi_gpu_cluster.node_pools.props import PLUGIN_CONFIG_LABEL
from pulumi_gpu_cluster.node_pools.sharing_args import SharingArgs
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule

# source: NVIDIA/k8s-device-plugin v0.20.0 cmd/mps-control-daemon/mps/device.go: clients of one MPS
# server, by compute capability
_MPS_CLIENTS: Final = 48
_OLD_MPS_CLIENTS: Final = 16
_MANY_MPS_CLIENTS_SINCE: Final = (7, 5)

# A CUDA context alone takes half a gigabyte; with less than this no framework has room to work.
_LEAST_GB: Final = 4
_PROFILE_MEMORY: Final = re.compile(r"\d+g\.(\d+)gb")


@rule(ERROR, waivable=False)
def mps_on_mig(case: Case) -> Iterator[Fault]:
    """MIG instances are to be shared by MPS, on which the device plugin stops."""
    for path, pool in case.each_pool():
        if pool.sharing is not None and pool.sharing.kind == "mps" and is_cut(pool):
            fix = "write kind: time-slicing, or share whole GPUs: remove mig"
            yield Fault(f"{path}.sharing.kind", "MPS does not run on MIG instances", fix)


@rule(ERROR, waivable=False)
def mps_too_many(case: Case) -> Iterator[Fault]:
    """More pods are to share a GPU by MPS than its server takes."""
    for path, sharing, _, model in _shared(case):
        old = model.compute_capability < _MANY_MPS_CLIENTS_SINCE
        most = _OLD_MPS_CLIENTS if old else _MPS_CLIENTS
        if sharing.kind == "mps" and sharing.replicas > most:
            message = f"{sharing.replicas}, and an MPS server takes {most} clients"
            yield Fault(f"{path}.sharing.replicas", message, f"write at most {most}")


@rule(ERROR, waivable=False)
def sharing_on_slurm(case: Case) -> Iterator[Fault]:
    """GPUs of a pool of Slurm's are to be shared, which Slurm hands out itself."""
    for path, pool in case.each_pool():
        if pool.sharing is not None and pool.workload == "slurm":
            message = "Slurm hands out the pool's GPUs itself, whole ones"
            yield Fault(f"{path}.sharing", message, "remove it, or write workload: kubernetes")


@rule(ERROR, waivable=False)
def plugin_config_unset(case: Case) -> Iterator[Fault]:
    """Nodes found by a selector do not carry the label that tells the device plugin."""
    pools = case.site.node_pools
    for path, pool in case.each_pool():
        config = plugin_config(pool, pools)
        if pool.selector is None or config is None:
            continue
        if pool.selector.get(PLUGIN_CONFIG_LABEL) != config.name:
            message = (
                f"the device plugin is told how by the label {PLUGIN_CONFIG_LABEL}, and we label "
                "no nodes here"
            )
            fix = f"label the nodes and add `{PLUGIN_CONFIG_LABEL}: {config.name}` to the selector"
            yield Fault(f"{path}.selector", message, fix)


@rule(WARNING)
def sharing_leaves_little_memory(case: Case) -> Iterator[Fault]:
    """So many pods are to share a GPU that none of them has memory to work with."""
    for path, sharing, pool, model in _shared(case):
        memory = min((model.memory_gb, *_instance_memory(pool)))
        if memory < _LEAST_GB * sharing.replicas:
            message = (
                f"{sharing.replicas} pods on {memory} GB of memory: "
                f"{memory / sharing.replicas:.1f} GB for each"
            )
            most = memory // _LEAST_GB
            fix = f"write at most {most}" if most > 1 else "remove it: one pod fills it"
            yield Fault(f"{path}.sharing.replicas", message, fix)


def _shared(case: Case) -> Iterator[tuple[str, SharingArgs, NodePoolArgs, GpuModel]]:
    """Pools that share GPUs of a known model."""
    for path, pool in case.each_pool():
        model = model_of(pool.gpu) if pool.gpu is not None else None
        if pool.sharing is not None and model is not None:
            yield path, pool.sharing, pool, model


def _instance_memory(pool: NodePoolArgs) -> Iterator[int]:
    """Memory of each kind of MIG instance of the pool, in GB, as their names have it."""
    for part in parts_of(pool):
        for instances in part.cut.gpus:
            for profile in instances or ():
                found = _PROFILE_MEMORY.match(profile)
                if found is not None:
                    yield int(found[1])


RULES: Final[tuple[Rule, ...]] = (
    mps_on_mig,
    mps_too_many,
    sharing_on_slurm,
    plugin_config_unset,
    sharing_leaves_little_memory,
)
