"""Images of the operator and its operands, out of the site's own registry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pulumi_gpu_cluster.images import ImagesArgs

# source: NVIDIA/gpu-operator v26.7.0 values.yaml, every `repository` beside an `imagePullSecrets`
_REPOSITORIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "operator": "nvcr.io/nvidia",
        "validator": "nvcr.io/nvidia",
        "driver": "nvcr.io/nvidia",
        "toolkit": "nvcr.io/nvidia/k8s",
        "devicePlugin": "nvcr.io/nvidia",
        "gfd": "nvcr.io/nvidia",
        "dcgm": "nvcr.io/nvidia/cloud-native",
        "dcgmExporter": "nvcr.io/nvidia/k8s",
        "migManager": "nvcr.io/nvidia/cloud-native",
        "nodeStatusExporter": "nvcr.io/nvidia",
        "gds": "nvcr.io/nvidia/cloud-native",
        "gdrcopy": "nvcr.io/nvidia/cloud-native",
        "vgpuDeviceManager": "nvcr.io/nvidia/cloud-native",
        "vfioManager": "nvcr.io/nvidia/cloud-native",
        "sandboxDevicePlugin": "nvcr.io/nvidia",
        "kataSandboxDevicePlugin": "nvcr.io/nvidia/cloud-native",
        "ccManager": "nvcr.io/nvidia/cloud-native",
        "draDriver": "nvcr.io/nvidia",
    }
)
# Images inside another one's section, which are pulled with that one's secrets.
_INSIDE: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "driver": {"manager": "nvcr.io/nvidia/cloud-native"},
        "vfioManager": {"driverManager": "nvcr.io/nvidia/cloud-native"},
        "vgpuManager": {"driverManager": "nvcr.io/nvidia/cloud-native"},
    }
)


def image_values(images: ImagesArgs) -> dict[str, Any]:
    """Values that bring every image out of the site's registry, past its door.

    Args:
        images: The site's registry.
    """
    secrets = {"imagePullSecrets": list(images.secret_names)} if images.secret_names else {}
    values: dict[str, Any] = {}
    for key, repository in _REPOSITORIES.items():
        place = {"repository": images.place(repository)} if images.registry is not None else {}
        if place or secrets:
            values[key] = {**place, **secrets}
    if images.registry is not None:
        for key, inside in _INSIDE.items():
            for name, repository in inside.items():
                values.setdefault(key, {})[name] = {"repository": images.place(repository)}
    return values
