"""Values of the gpu-operator chart: what a site decides, and what no site should decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from pulumi_gpu_cluster.catalog.charts import merged_values
from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs, Runtime
from pulumi_gpu_cluster.gpu_operator.chart_images import image_values
from pulumi_gpu_cluster.gpu_operator.metrics import metrics_list_name
from pulumi_gpu_cluster.gpu_operator.mig_parted import mig_parted_config, mig_parted_name
from pulumi_gpu_cluster.gpu_operator.nvidia_driver import (
    DriverSurroundings,
    NvidiaDriver,
    driver_of,
)
from pulumi_gpu_cluster.gpu_operator.toolkit import device_values, env_list, kubelet_values
from pulumi_gpu_cluster.images import ImagesArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.node_pools.plugin_config import (
    PLUGIN_CONFIGS,
    cluster_strategy,
    plugin_configs,
)
from pulumi_gpu_cluster.node_pools.props import SHARED, WHOLE_GPU


@dataclass(frozen=True, slots=True)
class OperatorValues:
    """What differs from the chart's own values.

    Attributes:
        driver: Whether the operator installs drivers at all.
        toolkit: Whether it installs the container toolkit.
        mig_strategy: How MIG instances are named as resources; None where that differs by pool.
        mig_layouts: ConfigMap with MIG Manager's configuration; empty for its own.
        plugin_configs: Whether nodes have configurations of the device plugin.
        dcgm_exporter: Whether GPU metrics are exported.
        shared: Whether several pods share GPUs somewhere.
        monitored: Whether a ServiceMonitor of ours reads them.
        tolerations: Tolerations of everything that runs on each GPU node.
        delete_crds: Whether the operator's CRDs go with the release.
        upgrades: The upgrade policy of the whole cluster.
        agents: Which further agents run, by their keys in the chart.
        places: Where the runtime, the kubelet and images are.
    """

    driver: bool
    toolkit: bool
    mig_strategy: Literal["single", "mixed"] | None
    mig_layouts: str
    plugin_configs: bool
    dcgm_exporter: bool
    shared: bool
    monitored: bool
    tolerations: Sequence[Mapping[str, str]]
    delete_crds: bool
    upgrades: Mapping[str, Any]
    agents: Mapping[str, Any]
    places: Sequence[Mapping[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """The values as Helm takes them."""
        return reduce(merged_values, (self.agents, *self.places), self._own())

    def _own(self) -> dict[str, Any]:
        return {
            "driver": self._driver(),
            "toolkit": {"enabled": self.toolkit},
            # One stands there before either operator, for both.
            "nfd": {"enabled": False},
            # The chart leaves an empty one out, and with it the environment variable that no
            # node's own configuration is heard against.
            "mig": {"strategy": self.mig_strategy or ""},
            **self._device_plugin(),
            "migManager": {"config": self._layouts()},
            "dcgmExporter": self._dcgm_exporter(),
            "daemonsets": {"tolerations": self._tolerations()},
            "operator": {"cleanupCRD": self.delete_crds},
        }

    def _driver(self) -> dict[str, Any]:
        if not self.driver:
            return {"enabled": False}
        # One object per pool pins that pool's driver. The chart's own default object would
        # select every GPU node, and two that match one node stop the reconciling of all.
        return {
            "enabled": True,
            "nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False},
            "upgradePolicy": dict(self.upgrades),
        }

    def _device_plugin(self) -> dict[str, Any]:
        # No default: nodes that nobody labelled share nothing.
        config = {"name": PLUGIN_CONFIGS, "default": ""}
        return {"devicePlugin": {"config": config}} if self.plugin_configs else {}

    def _layouts(self) -> dict[str, str]:
        # A pool that is no longer cut into instances becomes whole again.
        default = {"default": "all-disabled"}
        return default | ({"name": self.mig_layouts} if self.mig_layouts else {})

    def _dcgm_exporter(self) -> dict[str, Any]:
        if not self.dcgm_exporter:
            return {"enabled": False}
        # Two monitors of one exporter would count everything twice.
        own = {"serviceMonitor": {"enabled": False}} if self.monitored else {}
        shares = self._shares() if self.shared else {}
        return {"enabled": True, "config": {"name": metrics_list_name()}, **own, **shares}

    @staticmethod
    def _shares() -> dict[str, Any]:
        """How the exporter finds whose work on a shared GPU is: processes, and pods by their uid.

        Otherwise it gives all of it to one of the pods, or to none, as it does not look at
        resources of other names than its own.
        source: NVIDIA/dcgm-exporter 4.5.3-4.8.2 internal/pkg/transformation/kubernetes.go
        """
        told = {"KUBERNETES_VIRTUAL_GPUS": "true", "NVIDIA_RESOURCE_NAMES": f"{WHOLE_GPU}{SHARED}"}
        return {
            "env": [{"name": name, "value": value} for name, value in told.items()],
            "hostPID": True,
            "enablePodUID": True,
        }

    def _tolerations(self) -> list[dict[str, str]]:
        return [dict(toleration) for toleration in self.tolerations]


def operator_values(
    args: GpuOperatorArgs,
    pools: Iterable[NodePoolArgs],
    *,
    jobs: str,
    runtime: Runtime,
    images: ImagesArgs,
    monitored: bool,
    delete_crds: bool,
) -> OperatorValues:
    """The values that a site's pools lead to.

    Args:
        args: The site file's section.
        pools: All node pools.
        jobs: Label selector of the pods that a driver upgrade waits for.
        runtime: The container runtime of the GPU nodes.
        images: Where images come from.
        monitored: Whether a ServiceMonitor of ours reads the GPUs' metrics.
        delete_crds: Whether the operator's CRDs go with the release.
    """
    gpu_pools = [pool for pool in pools if pool.gpu is not None]
    layouts = mig_parted_config(gpu_pools)
    drivers = [pool.driver or DriverArgs() for pool in gpu_pools]
    drivers += [args.default_driver] if args.default_driver is not None else []
    installed = [driver_of(pool, DriverSurroundings(jobs)) for pool in gpu_pools]
    return OperatorValues(
        driver=any(driver.source == "operator" for driver in drivers),
        toolkit=any(driver.whose_toolkit == "operator" for driver in drivers),
        mig_strategy=cluster_strategy(gpu_pools),
        plugin_configs=bool(plugin_configs(gpu_pools)),
        mig_layouts=mig_parted_name(layouts) if layouts is not None else "",
        dcgm_exporter=args.dcgm_exporter,
        shared=any(pool.sharing is not None for pool in gpu_pools),
        monitored=monitored,
        tolerations=agent_tolerations(gpu_pools),
        delete_crds=delete_crds,
        upgrades=_upgrades([one for one in installed if one is not None]),
        agents=_agents(args, drivers),
        places=(
            device_values(args, runtime),
            kubelet_values(args, runtime),
            image_values(images),
        ),
    )


def _upgrades(drivers: Sequence[NvidiaDriver]) -> dict[str, Any]:
    """The policy of all nodes together, by which operators before 26.7 go.

    They end with a panic where a part is missing. Later ones ask each NVIDIADriver for its own.
    Where one pool leaves its nodes to people, all do.
    """
    policies = [driver.spec()["upgradePolicy"] for driver in drivers]
    if not policies:
        return {}
    policy = dict(policies[0])
    # The chart has a name of its own for what the object calls podDeletion.
    deletion = policy.pop("podDeletion")
    return {
        **policy,
        "autoUpgrade": all(one["autoUpgrade"] for one in policies),
        # No pool's own: the release would change with every node that joins.
        "maxParallelUpgrades": 1,
        "maxUnavailable": "25%",
        "gpuPodDeletion": deletion,
    }


def _agents(args: GpuOperatorArgs, drivers: Iterable[DriverArgs]) -> dict[str, Any]:
    """Values of what runs only where it is asked for."""
    ours = [driver for driver in drivers if driver.source == "operator"]
    # The modules are loaded by each pool's own driver object; this tells the device plugin to
    # bring their devices into containers, where a node has them.
    wanted = {
        "dcgm": args.dcgm,
        "nodeStatusExporter": args.node_status,
        "gds": any(driver.gds for driver in ours),
        "gdrcopy": any(driver.gdrcopy for driver in ours),
    }
    proof = env_list({"WITH_WORKLOAD": "true"}) if args.proof_by_workload else []
    return {
        **{agent: {"enabled": True} for agent, on in wanted.items() if on},
        **({"validator": {"plugin": {"env": proof}}} if proof else {}),
    }
