"""What the toolkit and the device plugin are told: where the runtime is, who may see GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pulumi_gpu_cluster.control_plane.args import ControlPlaneArgs
from pulumi_gpu_cluster.gpu_operator.args import GpuOperatorArgs, Runtime

OWN_CONTAINERD: Final = ("rke2", "k3s")
"""Distributions with a containerd of their own, whose configuration they write at each start."""

# source: RKE2 and K3s documentation: both keep containerd's socket here
_SOCKETS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(OWN_CONTAINERD, "/run/k3s/containerd/containerd.sock")
)
_UNITS: Final[Mapping[str, str]] = MappingProxyType(
    {name: f"{name}-agent.service" for name in OWN_CONTAINERD}
)


def runtime_of(args: GpuOperatorArgs, control_plane: ControlPlaneArgs) -> Runtime:
    """The container runtime of the GPU nodes: as stated, or as the control plane's kind has it."""
    if args.toolkit.runtime is not None:
        return args.toolkit.runtime
    return "rke2" if control_plane.kind == "rke2" else "containerd"


def device_values(args: GpuOperatorArgs, runtime: Runtime) -> dict[str, Any]:
    """Values of everything by which GPUs come into containers.

    An image that says NVIDIA_VISIBLE_DEVICES=all, as CUDA images do, would see every GPU of the
    node under NVIDIA's runtime without asking for one, past quota and queue. So the variable
    counts for privileged containers only. What a pod asked for comes by CDI, and then a list of
    devices by mounts is taken from nobody; or it comes by such mounts, which only the kubelet and
    pods that may mount the host's files can make, and then the device plugin writes those.

    source: NVIDIA/nvidia-container-toolkit internal/config/image; NVIDIA/gpu-operator v26.7.0
    controllers/object_controls.go (with CDI it sets the device plugin's strategy itself)
    """
    mounts = args.devices == "volume-mounts"
    cdi = {"nri": {"enabled": True, "nriPluginEnabled": True}, "cdi": {"enabled": True}}
    env = {
        "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED": "false",
        "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS": "true" if mounts else "false",
        **_runtime_env(args, runtime),
    }
    directory = args.toolkit.install_dir
    return {
        "cdi": cdi.get(args.devices, {"enabled": False}),
        "toolkit": {
            "env": env_list(env),
            **({"installDir": directory} if directory is not None else {}),
        },
        **(
            {"devicePlugin": {"env": env_list({"DEVICE_LIST_STRATEGY": "volume-mounts"})}}
            if mounts
            else {}
        ),
    }


def kubelet_values(args: GpuOperatorArgs, runtime: Runtime) -> dict[str, Any]:
    """Values that say where the kubelet is, where it is not in the customary place."""
    unit = args.kubelet_unit or _UNITS.get(runtime)
    env = env_list({"HOST_KUBELET_SYSTEMD_SERVICE": unit}) if unit is not None else []
    return {
        **({"migManager": {"env": env}} if env else {}),
        **({"hostPaths": {"kubeletRootDir": args.kubelet_dir}} if args.kubelet_dir else {}),
    }


def _runtime_env(args: GpuOperatorArgs, runtime: Runtime) -> dict[str, str]:
    # CONTAINERD_CONFIG is never among it: it points the toolkit at the file that RKE2 writes
    # anew, and after a reboot nodes are broken (gpu-operator#992, rke2#8752). By NRI the toolkit
    # touches no configuration and needs no socket.
    if args.devices == "nri" or runtime == "cri-o":
        return {}
    socket = args.toolkit.socket or _SOCKETS.get(runtime)
    config = args.toolkit.config
    return {
        **({"CONTAINERD_SOCKET": socket} if socket is not None else {}),
        **({"RUNTIME_CONFIG_SOURCE": f"file={config}"} if config is not None else {}),
    }


def env_list(variables: Mapping[str, str]) -> list[dict[str, str]]:
    """Variables as charts take them."""
    return [{"name": name, "value": value} for name, value in variables.items()]
