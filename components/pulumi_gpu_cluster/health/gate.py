"""The gate of new GPU nodes, as resources of the stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from types import MappingProxyType
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, NodePatch
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.catalog.versions import DCGM_IMAGE
from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.health.args import GateArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import unshared_devices
from pulumi_gpu_cluster.node_pools.cuts import Part, parts_of
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.node_pools.plugin_config import plugin_config, unshared_config
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import BASELINE, namespace
from pulumi_gpu_cluster.objects.node_command import node_command, uid_of
from pulumi_gpu_cluster.operations.node_work.gate_spec import (
    NAMESPACE,
    SCRIPT_KEY,
    SPEC_KEY,
    GateSpec,
    config_map_name,
    specs_text,
)

NODE_GATE_TYPE: Final = "gpu-cluster:health:NodeGate"
"""Type token of the component; lives in users' state, so it never changes."""

_NONE: Final[Mapping[str, int]] = MappingProxyType({})


class NodeGate(KubernetesComponent):
    """Verifies GPU nodes, each by a command of its own, and lets work onto those that pass.

    Attributes:
        told: What each node's command says of it, as JSON, by the node's name.
    """

    told: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        args: GateArgs,
        *,
        pools: Sequence[NodePoolArgs],
        labelled: Mapping[str, NodePatch],
        wait: str,
        evict: bool = False,
        access: ClusterAccess | None = None,
        attempts: Mapping[str, int] = _NONE,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Sets the gate up and sends every node through it.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: All node pools; those with GPUs and `nodes:` have a gate.
            labelled: Their nodes, as labelled.
            wait: The longest wait for a node: 30m.
            evict: Whether what keeps a node from another MIG layout is evicted.
            access: How the commands reach the cluster; by default with the ambient kubeconfig.
            attempts: How often each node has come to no end before. A node whose number changes
                is asked again.
            opts: Options of the component, with the Kubernetes provider.
        """
        gated = [pool for pool in pools if pool.gpu is not None and pool.nodes is not None]
        props = {"namespace": args.namespace, "pools": [pool.name for pool in gated]}
        super().__init__(NODE_GATE_TYPE, name, props, opts)
        home = namespace(f"{name}-namespace", args.namespace, BASELINE, self.child())
        elsewhere = f" --namespace {args.namespace}" if args.namespace != NAMESPACE else ""
        evicting = " --evict" if evict else ""
        told: dict[str, pulumi.Output[str]] = {}
        for pool in gated:
            specs = gate_specs(pool, pools)
            asks = ConfigMap(
                f"{name}-asks-{pool.name}",
                metadata=ObjectMetaArgs(name=config_map_name(pool.name), namespace=args.namespace),
                data={SPEC_KEY: specs_text(specs), SCRIPT_KEY: _script()},
                opts=self.child(after=[home]),
            )
            for node, spec in specs.items():
                command = node_command(
                    f"{name}-{node}",
                    f"gate {node} --json --wait {wait}{evicting}{elsewhere}",
                    access=access or ClusterAccess(),
                    environment={
                        "GPU_CLUSTER_GATE_WANTS": spec.wants,
                        "GPU_CLUSTER_GATE_ATTEMPT": str(attempts.get(node, 0)),
                        "GPU_CLUSTER_NODE_UID": uid_of(labelled[node]),
                    },
                    opts=self.child(after=[asks, labelled[node]]),
                )
                # The kubeconfig among its inputs would make a secret of all that it says.
                told[node] = pulumi.Output.unsecret(command.stdout)
        self.told = MappingProxyType(told)
        self.register_outputs(props)


def gate_specs(pool: NodePoolArgs, pools: Sequence[NodePoolArgs]) -> Mapping[str, GateSpec]:
    """What the gate asks of each of a pool's nodes, by name.

    Args:
        pool: The pool.
        pools: All pools of the cluster.
    """
    shared = plugin_config(pool, pools) if pool.sharing is not None else None
    unshared = unshared_config(pool, pools) if shared is not None else None
    driver = pool.driver.pinned if pool.driver is not None else None
    whole = GateSpec(
        gpus=pool.gpu.count if pool.gpu is not None else 0,
        driver=driver or "",
        layout="",
        slices={},
        image=DCGM_IMAGE,
        tolerations=agent_tolerations([pool]),
        sharing=shared.name if shared is not None else "",
        unshared=unshared.name if unshared is not None else "",
    )
    specs: dict[str, GateSpec] = {}
    for part in parts_of(pool):
        specs |= dict.fromkeys(part.nodes, _cut(pool, part, whole))
    return specs


def _cut(pool: NodePoolArgs, part: Part, whole: GateSpec) -> GateSpec:
    spec = replace(whole, layout=part.cut.layout)
    return replace(spec, slices=dict(unshared_devices(pool, part.cut))) if spec.is_cut else spec


def _script() -> str:
    home = resources.files("pulumi_gpu_cluster.health")
    return home.joinpath(SCRIPT_KEY).read_text("utf-8")
