"""A StorageClass that never loses data: what it made stays when its claim goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass

_DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"


def storage_class(
    name: str,
    class_name: str,
    provisioner: str,
    parameters: Mapping[str, str],
    *,
    default: bool,
    grows: bool,
    opts: pulumi.ResourceOptions,
) -> StorageClass:
    """A class of volumes.

    Args:
        name: Name of the resource.
        class_name: Name of the class.
        provisioner: The CSI driver, or the controller that makes buckets.
        parameters: What it is told.
        default: Whether claims without a class get it.
        grows: Whether volumes may be made larger.
        opts: Options of the resource.
    """
    return StorageClass(
        name,
        metadata=ObjectMetaArgs(
            name=class_name, annotations={_DEFAULT: "true"} if default else None
        ),
        provisioner=provisioner,
        parameters=dict(parameters),
        # A claim that goes by mistake, or with its namespace, takes nothing with it.
        reclaim_policy="Retain",
        allow_volume_expansion=grows,
        volume_binding_mode="Immediate",
        opts=opts,
    )
