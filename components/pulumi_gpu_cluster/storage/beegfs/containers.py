"""The containers of the BeeGFS driver's pods, and the parts of the host that they see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import (
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    ContainerPortArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    HostPathVolumeSourceArgs,
    HTTPGetActionArgs,
    ObjectFieldSelectorArgs,
    ProbeArgs,
    ResourceRequirementsArgs,
    SecretVolumeSourceArgs,
    SecurityContextArgs,
    VolumeArgs,
    VolumeMountArgs,
)

from pulumi_gpu_cluster.catalog.versions import BEEGFS_CSI_IMAGE
from pulumi_gpu_cluster.storage.beegfs.settings import AUTH_FILE, CERTIFICATES_FILE, CONFIG_FILE

DRIVER: Final = "beegfs.csi.netapp.com"
"""The CSI driver's name, which stands in every volume it made."""

KUBELET: Final = "/var/lib/kubelet"
PLUGIN_FOLDER: Final = f"{KUBELET}/plugins/{DRIVER}"

_SOCKET_FOLDER: Final = "/csi"
_SOCKET: Final = f"{_SOCKET_FOLDER}/csi.sock"
_FOLDERS: Final = {
    "config": CONFIG_FILE,
    "connauth": AUTH_FILE,
    "tlscerts": CERTIFICATES_FILE,
}

Mount = tuple[str, str, str]
"""A volume, where it is mounted, and which way mounts inside it travel."""


def driver(
    arguments: Sequence[str], mounts: Sequence[Mount], *, memory: str, health_port: int = 0
) -> ContainerArgs:
    """The driver itself.

    It mounts file systems with the host's own programs, for which it must be privileged and see
    the host's root; it writes nothing there.

    Args:
        arguments: What it is told beside what it always is.
        mounts: What it sees of the host beside its root.
        memory: The most it may use.
        health_port: The port of the host on which the liveness probe beside it answers; 0 where
            there is none.
    """
    files = [f"--{name}-path=/csi/{name}/{file}" for name, file in _FOLDERS.items()]
    return ContainerArgs(
        name="beegfs",
        image=BEEGFS_CSI_IMAGE,
        args=[
            f"--driver-name={DRIVER}",
            "--node-id=$(KUBE_NODE_NAME)",
            f"--endpoint=unix:/{_SOCKET}",
            *files,
            *arguments,
        ],
        env=[_node_name()],
        security_context=SecurityContextArgs(privileged=True),
        volume_mounts=[
            _mount("socket-dir", _SOCKET_FOLDER),
            *(_mount(f"{name}-dir", f"/csi/{name}", read_only=True) for name in _FOLDERS),
            VolumeMountArgs(
                name="host-dir",
                mount_path="/host",
                mount_propagation="Bidirectional",
                read_only=True,
            ),
            *(
                VolumeMountArgs(name=name, mount_path=path, mount_propagation=way)
                for name, path, way in mounts
            ),
        ],
        resources=_resources("100m", "64Mi", memory),
        ports=[_port(health_port)] if health_port else None,
        liveness_probe=_probe(health_port) if health_port else None,
    )


def sidecar(
    name: str,
    image: str,
    arguments: Sequence[str],
    *,
    folder: str = "",
    memory: str = "128Mi",
    privileged: bool = True,
) -> ContainerArgs:
    """One of Kubernetes' helpers beside the driver, which talks to it over its socket.

    Args:
        name: Name of the container.
        image: Its image.
        arguments: What it is told beside where the socket is.
        folder: Where it registers the driver with the kubelet; empty for those that do not.
        memory: The most it may use.
        privileged: Whether it is. A socket that a privileged container made is closed to others
            where SELinux rules.
    """
    return ContainerArgs(
        name=name,
        image=image,
        args=[f"--csi-address={_SOCKET}", *arguments],
        security_context=SecurityContextArgs(privileged=privileged),
        volume_mounts=[
            _mount("socket-dir", _SOCKET_FOLDER),
            *([_mount("registration-dir", folder)] if folder else []),
        ],
        resources=_resources("20m", "32Mi", memory),
    )


def host_folders(folders: Mapping[str, str]) -> list[VolumeArgs]:
    """The host's root, and folders of the host by the volume's name; made where missing."""
    root = HostPathVolumeSourceArgs(path="/", type="Directory")
    return [
        VolumeArgs(name="host-dir", host_path=root),
        *(
            VolumeArgs(
                name=name, host_path=HostPathVolumeSourceArgs(path=path, type="DirectoryOrCreate")
            )
            for name, path in folders.items()
        ),
    ]


def settings_volumes(
    config: pulumi.Input[str], auth: pulumi.Input[str], certificates: pulumi.Input[str]
) -> list[VolumeArgs]:
    """What the driver reads, by the names of the objects that hold it."""
    return [
        VolumeArgs(name="config-dir", config_map=ConfigMapVolumeSourceArgs(name=config)),
        VolumeArgs(name="connauth-dir", secret=SecretVolumeSourceArgs(secret_name=auth)),
        VolumeArgs(name="tlscerts-dir", secret=SecretVolumeSourceArgs(secret_name=certificates)),
    ]


def _port(number: int) -> ContainerPortArgs:
    return ContainerPortArgs(name="healthz", container_port=number, host_port=number)


def _probe(port: int) -> ProbeArgs:
    return ProbeArgs(
        http_get=HTTPGetActionArgs(path="/healthz", port=port),
        initial_delay_seconds=10,
        period_seconds=10,
        timeout_seconds=3,
        failure_threshold=5,
    )


def _node_name() -> EnvVarArgs:
    field = ObjectFieldSelectorArgs(field_path="spec.nodeName")
    return EnvVarArgs(name="KUBE_NODE_NAME", value_from=EnvVarSourceArgs(field_ref=field))


def _mount(name: str, path: str, *, read_only: bool | None = None) -> VolumeMountArgs:
    return VolumeMountArgs(name=name, mount_path=path, read_only=read_only)


def _resources(cpu: str, memory: str, most_memory: str) -> ResourceRequirementsArgs:
    return ResourceRequirementsArgs(
        requests={"cpu": cpu, "memory": memory}, limits={"memory": most_memory}
    )
