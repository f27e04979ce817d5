"""The site file's section on the NVIDIA GPU Operator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, PlainSerializer

from pulumi_gpu_cluster.node_pools.driver_args import Driver
from pulumi_gpu_cluster.section import (
    HOST_PATH,
    SYSTEMD_UNIT,
    DnsLabel,
    Section,
    Text,
)

_HostPath = Annotated[str, Field(pattern=HOST_PATH)]

Runtime = Literal["containerd", "rke2", "k3s", "cri-o"]
"""A container runtime, or the distribution that brings a containerd of its own."""


class ToolkitArgs(Section):
    """How the container toolkit finds the nodes' container runtime."""

    runtime: Runtime | None = None
    """The runtime of the GPU nodes: `containerd`, `cri-o`, or the distribution whose own containerd
    lies elsewhere. By default rke2 where `control_plane` makes one, else containerd; an existing
    RKE2 or K3s has to be named here."""

    socket: _HostPath | None = None
    """containerd's socket on the host; by default where the runtime above has it."""

    config: _HostPath | None = None
    """containerd's configuration file on the host, for the toolkit to read instead of asking
    containerd, whose answer may be of a newer form than its file. Not with RKE2 and K3s, which
    write theirs anew at each start."""

    install_dir: _HostPath | None = None
    """Where the toolkit goes on the host; by default /usr/local/nvidia. For hosts on which that is
    read-only."""


# A user before a host, in any of the lines, and dnf's own settings for the two.
_LOGIN: Final = re.compile(
    r"://[^/\s]*@|^[ \t]*(?:proxy_)?(?:username|password)[ \t]*=", re.MULTILINE
)
_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
_PRIVATE: Final = "PRIVATE KEY-----"


def _without_password(text: str) -> str:
    if _LOGIN.search(text):
        raise ValueError(
            "holds a user or password, which would lie open in the cluster; let the mirror in "
            "without one, or by the nodes' addresses"
        )
    return text


def _certificates(text: str) -> str:
    if _PRIVATE in text:
        raise ValueError(
            "holds a private key, which would lie open in the cluster; write certificates only and "
            "count the key as known to others"
        )
    if _CERTIFICATE not in text:
        raise ValueError(f"is no certificate in PEM; write it with its line {_CERTIFICATE}")
    return text


# source: Kubernetes, IsConfigMapKey; files that are hidden are read by no package manager
_FILE: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}")


def _file_name(text: str) -> str:
    if _FILE.fullmatch(text) is None:
        raise ValueError("is no name of a file; write letters, digits, dots and dashes: lab.list")
    return text


_FileName = Annotated[str, AfterValidator(_file_name)]


def _files(mapping: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(mapping))


class PackagesArgs(Section):
    """Where driver containers get the packages from that they compile with, without internet."""

    repositories: Annotated[
        Mapping[_FileName, Annotated[Text, AfterValidator(_without_password)]],
        AfterValidator(_files),
        PlainSerializer(dict, return_type=dict[str, str]),
    ] = Field(default_factory=dict)
    """Package sources by file name, as the nodes' system reads them: lab.list for apt, lab.repo for
    dnf."""

    certificates: Annotated[
        Mapping[_FileName, Annotated[Text, AfterValidator(_certificates)]],
        AfterValidator(_files),
        PlainSerializer(dict, return_type=dict[str, str]),
    ] = Field(default_factory=dict)
    """Certificates that these sources are trusted by, in PEM, by file name: lab.crt."""


class GpuOperatorArgs(Section):
    """How the GPU Operator is installed; what it manages comes from the node pools."""

    namespace: DnsLabel = "gpu-operator"
    """Namespace of the operator and its operands."""

    devices: Literal["cdi", "nri", "volume-mounts"] = "cdi"
    """How GPUs come into containers. `cdi`: named to containerd or CRI-O, which know CDI. `nri`: by
    a plugin of the runtime (containerd 1.7.30 or 2.1, CRI-O), whose configuration stays as it
    is; there is no runtime class nvidia then. `volume-mounts`: by NVIDIA's own runtime, for
    runtimes without CDI."""

    toolkit: ToolkitArgs = Field(default_factory=ToolkitArgs)
    """The container toolkit, and the container runtime that it configures."""

    default_driver: Driver | None = None
    """A driver for GPU nodes that are in no pool. None by default: a node that nobody has put into
    a pool gets no driver either."""

    packages: PackagesArgs = Field(default_factory=PackagesArgs)
    """Where driver containers get packages from, without internet."""

    dcgm_exporter: bool = True
    """Whether GPU metrics are exported."""

    dcgm: bool = False
    """Whether DCGM runs as an agent of its own, for tools that ask it from outside. The exporter
    then asks it too, and otherwise brings its own."""

    node_status: bool = False
    """Whether each node's state of the operator's parts is exported as metrics."""

    proof_by_workload: bool = False
    """Whether a node counts as ready only after a pod of the operator's has run CUDA on it. That
    takes a GPU whenever its agent starts; the gate of new nodes does more, and only once."""

    kubelet_unit: Annotated[str, Field(pattern=SYSTEMD_UNIT)] | None = None
    """The kubelet's systemd service on GPU nodes: MIG Manager stops it while it cuts GPUs under a
    host's own driver. By default rke2-agent.service or k3s-agent.service there, else
    kubelet.service."""

    kubelet_dir: _HostPath | None = None
    """The kubelet's directory on GPU nodes, where it is not /var/lib/kubelet."""
