"""What the operator and its agents find in their namespace when they start."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs
from pulumi_gpu_cluster.gpu_operator.driver_files import config_map, driver_files
from pulumi_gpu_cluster.gpu_operator.metrics import metrics_list
from pulumi_gpu_cluster.gpu_operator.mig_parted import (
    MIG_PARTED_KEY,
    mig_parted_config,
    mig_parted_name,
)
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.plugin_config import PLUGIN_CONFIGS, plugin_configs
from pulumi_gpu_cluster.objects.images import pull_secret


def configurations(
    name: str,
    args: GpuOperatorArgs,
    pools: Sequence[NodePoolArgs],
    image_credentials: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> list[ConfigMap | Secret]:
    """The registry's secret, lists of metrics and layouts, and files of drivers.

    Args:
        name: Name of the component, first part of the resources' names.
        args: The site file's section.
        pools: All node pools.
        image_credentials: What the images' registry is entered by; None without.
        opts: Options of the resources.
    """
    made: list[ConfigMap | Secret] = []
    if image_credentials is not None:
        made.append(pull_secret(f"{name}-images", args.namespace, image_credentials, opts))
    if args.dcgm_exporter:
        made.append(metrics_list(f"{name}-metrics", args.namespace, opts))
    layouts = mig_parted_config(pools)
    if layouts is not None:
        metadata = ObjectMetaArgs(name=mig_parted_name(layouts), namespace=args.namespace)
        data = {MIG_PARTED_KEY: layouts}
        made.append(ConfigMap(f"{name}-mig-layouts", metadata=metadata, data=data, opts=opts))
    plugin = plugin_configs(pools)
    if plugin:
        metadata = ObjectMetaArgs(name=PLUGIN_CONFIGS, namespace=args.namespace)
        made.append(ConfigMap(f"{name}-device-plugin", metadata=metadata, data=plugin, opts=opts))
    drivers = [*(pool.driver for pool in pools if pool.gpu is not None), args.default_driver]
    installed = [one for one in drivers if one is not None and one.source == "operator"]
    made += [
        config_map(name, args.namespace, files, opts)
        for files in driver_files(installed, args.packages)
    ]
    return made
