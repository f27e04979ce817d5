"""The NVIDIA GPU Operator, and one pinned driver per pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import GPU_OPERATOR
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs, Runtime
from pulumi_gpu_cluster.gpu_operator.configurations import configurations
from pulumi_gpu_cluster.gpu_operator.nvidia_driver import (
    DriverSurroundings,
    default_driver,
    driver_of,
    nvidia_driver,
)
from pulumi_gpu_cluster.gpu_operator.values import operator_values
from pulumi_gpu_cluster.gpu_operator.wanted_drivers import driver_spec
from pulumi_gpu_cluster.gpu_operator.waves import checked_strategy, drivers_in_waves, held_drivers
from pulumi_gpu_cluster.images import ImagesArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release
from pulumi_gpu_cluster.operations.outcomes import Told

GPU_OPERATOR_TYPE: Final = "gpu-cluster:gpu-operator:GpuOperator"
"""Type token of the component; lives in users' state, so it never changes."""

_NONE: Final[Mapping[str, int]] = MappingProxyType({})


class GpuOperator(KubernetesComponent):
    """Drivers, container toolkit, device plugin, MIG and metrics on every GPU node."""

    def __init__(
        self,
        name: str,
        args: GpuOperatorArgs,
        *,
        pools: Sequence[NodePoolArgs],
        jobs: str,
        runtime: Runtime = "containerd",
        images: ImagesArgs | None = None,
        image_credentials: pulumi.Input[str] | None = None,
        monitored: bool = False,
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        access: ClusterAccess | None = None,
        wait: str = "30m",
        attempts: Mapping[str, int] = _NONE,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the operator and pins the pools' drivers.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: All node pools; those whose driver the operator installs get an
                NVIDIADriver each.
            jobs: Label selector of the pods that a driver upgrade waits for.
            runtime: The container runtime of the GPU nodes.
            images: Where images come from; by default upstream.
            image_credentials: What their registry is entered by, as the text of a Docker
                config.json.
            monitored: Whether a ServiceMonitor of ours reads the GPUs' metrics. Otherwise the
                operator makes one, where the cluster knows the kind.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether the operator's CRDs go with it.
            access: How node work reaches the cluster; by default with the ambient kubeconfig.
            wait: The longest that a run waits for the waves of a pool: 30m.
            attempts: How often each pool's waves have come to no end before. Those of a pool
                whose number changes are gone on with.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": GPU_OPERATOR.version, "namespace": args.namespace}
        super().__init__(GPU_OPERATOR_TYPE, name, props, opts)
        around = DriverSurroundings(jobs, images or ImagesArgs(), args.packages)
        reach = access or ClusterAccess()
        release = platform_release(
            self,
            name,
            GPU_OPERATOR,
            source=charts,
            namespace=args.namespace,
            values=operator_values(
                args,
                pools,
                jobs=jobs,
                runtime=runtime,
                images=around.images,
                monitored=monitored,
                delete_crds=delete_crds,
            ).as_dict(),
            delete_crds=delete_crds,
            needs=lambda inside: [
                *configurations(name, args, pools, image_credentials, inside),
                *_strategies(name, pools, reach, self.child()),
            ],
        )
        told: dict[str, pulumi.Output[str]] = {}
        for pool in pools:
            driver = driver_of(pool, around)
            spec = driver_spec(pool, args.namespace)
            if driver is not None and spec is None:
                nvidia_driver(f"{name}-{pool.name}", driver, self.child(after=[release]))
            elif driver is not None and spec is not None:
                full, before = f"{name}-{pool.name}", attempts.get(pool.name, 0)
                held = held_drivers(f"{full}-hold", spec, reach, self.child())
                pinned = nvidia_driver(full, driver, self.child(after=[release, held]))
                after = self.child(after=[pinned])
                told[pool.name] = drivers_in_waves(
                    f"{full}-waves", spec, reach, wait=wait, attempt=before, opts=after
                )
        if args.default_driver is not None:
            fallback = default_driver(args.default_driver, pools, around)
            nvidia_driver(f"{name}-{fallback.name}", fallback, self.child(after=[release]))
        self._told = MappingProxyType(told)
        self.register_outputs(props)

    # No annotated attribute: those are what the component gives to other languages.
    @property
    def told(self) -> Told:
        """What is said of the drivers of each pool that goes in waves."""
        return self._told


def _strategies(
    name: str, pools: Sequence[NodePoolArgs], access: ClusterAccess, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Whether each pool's nodes can take the strategy that the release may bring to them."""
    return [
        checked_strategy(
            f"{name}-{pool.name}-mig-strategy", pool.name, pool.mig.strategy, access, opts
        )
        for pool in pools
        if pool.mig is not None and pool.node_names
    ]
