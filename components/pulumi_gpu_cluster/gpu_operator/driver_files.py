"""What driver containers read beside their own specification: module options, package sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.gpu_operator.args import PackagesArgs
from pulumi_gpu_cluster.node_pools.driver_args import DriverArgs

# source: NVIDIA/gpu-operator v26.7.0: the file of each kernel module is called after it
_OPTIONS_FILE: Final = "nvidia.conf"


_REPOSITORIES: Final = "driver-packages"
_CERTIFICATES: Final = "driver-certificates"


@dataclass(frozen=True, slots=True)
class DriverFiles:
    """Files of drivers, in a ConfigMap.

    Attributes:
        name: Name of the ConfigMap.
        content: The files by name.
    """

    name: str
    content: Mapping[str, str]


def options_name(driver: DriverArgs) -> str:
    """Name of the ConfigMap with a driver's module options; empty without any.

    It changes with them: a loaded module reads them no second time.
    """
    content = _options(driver)
    return f"driver-options-{_digest(content)}" if content else ""


def repositories_name(packages: PackagesArgs) -> str:
    """Name of the ConfigMap with package sources; empty without any.

    It stays the same whatever they are: drivers that run need no packages, and need not restart.
    """
    return _REPOSITORIES if packages.repositories else ""


def certificates_name(packages: PackagesArgs) -> str:
    """Name of the ConfigMap with their certificates; empty without any."""
    return _CERTIFICATES if packages.certificates else ""


def driver_files(
    installed: Sequence[DriverArgs], packages: PackagesArgs
) -> tuple[DriverFiles, ...]:
    """Everything that the drivers of a cluster read.

    Args:
        installed: The drivers that the operator installs.
        packages: Where their containers get packages from.
    """
    every = [
        *((options_name(driver), _options(driver)) for driver in installed),
        (repositories_name(packages), packages.repositories),
        (certificates_name(packages), packages.certificates),
    ]
    found = {name: content for name, content in every if name} if installed else {}
    return tuple(DriverFiles(name, content) for name, content in found.items())


def config_map(
    name: str, namespace: str, files: DriverFiles, opts: pulumi.ResourceOptions
) -> ConfigMap:
    """The files in the cluster.

    Args:
        name: First part of the resource's name.
        namespace: The operator's namespace.
        files: The files.
        opts: Options of the resource.
    """
    return ConfigMap(
        f"{name}-{files.name}",
        metadata=ObjectMetaArgs(name=files.name, namespace=namespace),
        data=dict(files.content),
        opts=opts,
    )


def _options(driver: DriverArgs) -> Mapping[str, str]:
    lines = "".join(f"{option}\n" for option in driver.module_options)
    return {_OPTIONS_FILE: lines} if lines else {}


def _digest(content: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(dict(content), sort_keys=True).encode()).hexdigest()[:8]
