"""Values of the gpu-operator chart: what a site decides, and what no site should decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs
from pulumi_gpu_cluster.gpu_operator.metrics import metrics_list_name
from pulumi_gpu_cluster.gpu_operator.mig_parted import mig_parted_config, mig_parted_name
from pulumi_gpu_cluster.gpu_operator.nvidia_driver import NvidiaDriver, driver_of
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.capacity import SHARED
from pulumi_gpu_cluster.node_pools.placement import agent_tolerations
from pulumi_gpu_cluster.node_pools.plugin_config import (
    PLUGIN_CONFIGS,
    cluster_strategy,
    plugin_configs,
)
from pulumi_gpu_cluster.node_pools.props import WHOLE_GPU


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

    def as_dict(self) -> dict[str, Any]:
        """The values as Helm takes them."""
        return {
            "driver": self._driver(),
            "toolkit": {
                "enabled": self.toolkit,
                # Otherwise an image that says NVIDIA_VISIBLE_DEVICES=all, as CUDA images do,
                # sees every GPU of the node under the runtime class nvidia without asking for
                # one, past quota and queue. Devices that were asked for come by CDI.
                "env": [
                    {
                        "name": "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED",
                        "value": "false",
                    }
                ],
            },
            "cdi": {"enabled": True},
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
    monitored: bool,
    delete_crds: bool,
) -> OperatorValues:
    """The values that a site's pools lead to.

    Args:
        args: The site file's section.
        pools: All node pools.
        jobs: Label selector of the pods that a driver upgrade waits for.
        monitored: Whether a ServiceMonitor of ours reads the GPUs' metrics.
        delete_crds: Whether the operator's CRDs go with the release.
    """
    gpu_pools = [pool for pool in pools if pool.gpu is not None]
    layouts = mig_parted_config(gpu_pools)
    drivers = [driver for pool in gpu_pools if (driver := driver_of(pool, jobs)) is not None]
    installs = any(pool.driver is None or pool.driver.source == "operator" for pool in gpu_pools)
    return OperatorValues(
        driver=installs,
        # Driver and toolkit come from the same hand: a host or node image brings both.
        toolkit=installs,
        mig_strategy=cluster_strategy(gpu_pools),
        plugin_configs=bool(plugin_configs(gpu_pools)),
        mig_layouts=mig_parted_name(layouts) if layouts is not None else "",
        dcgm_exporter=args.dcgm_exporter,
        shared=any(pool.sharing is not None for pool in gpu_pools),
        monitored=monitored,
        tolerations=agent_tolerations(gpu_pools),
        delete_crds=delete_crds,
        upgrades=_upgrades(drivers),
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
