"""What people may expect in a site file and will not find yet, with what to use meanwhile.

A key or value of this table is refused by its name, and not as a slip of the pen. An entry goes
when what it names arrives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pulumi_gpu_cluster.findings import Finding, error
from pulumi_gpu_cluster.reading.structure import EACH, Path, dotted


@dataclass(frozen=True, slots=True)
class Planned:
    """Something planned.

    Attributes:
        what: What it would be, as the subject of a sentence.
        meanwhile: What to do until then.
    """

    what: str
    meanwhile: str


_DRA: Final = Planned(
    "giving out GPUs by claims (Dynamic Resource Allocation, GPUCluster)",
    "leave it out: pods ask for nvidia.com/gpu or a MIG resource",
)
_DOMAINS: Final = Planned(
    "NVLink between nodes (ComputeDomain, IMEX channels) of racks such as GB200 NVL72",
    "leave it out: each node's own GPUs are joined, and between nodes jobs go by the pool's fabric",
)
_OTHER_STORAGE: Final = Planned(
    "storage other than Ceph and BeeGFS",
    "install its StorageClass beside this stack and list it in storage.classes",
)
_CEPH_TOOLS: Final = Planned(
    "a way into Ceph's toolbox or dashboard",
    "leave it out and use kubectl's plugin rook-ceph, which asks the operator's pod",
)

_KEYS: Final[Mapping[Path, Planned]] = MappingProxyType(
    {
        ("slurm", "sssd"): Planned(
            "an sssd of its own", "write login: {sssd_conf: ...} as a secret for the login pods"
        ),
        ("slurm", "containers"): Planned(
            "containers in Slurm's jobs (pyxis)", "leave it out; jobs run in slurmd's own image"
        ),
        ("slurm", "prolog"): Planned("Slurm's prolog and epilog scripts", "leave it out"),
        ("slurm", "epilog"): Planned("Slurm's prolog and epilog scripts", "leave it out"),
        ("slurm", "qos"): Planned(
            "a QOS of one's own", "leave it out; each tenant has one that holds its guarantee"
        ),
        ("storage", "nfs"): _OTHER_STORAGE,
        ("storage", "local"): _OTHER_STORAGE,
        ("storage", "ceph", "crds"): Planned(
            "letting somebody else install Rook's CRDs",
            "leave it out: switched off later, it would take the cluster's definition away",
        ),
        ("storage", "ceph", "external"): Planned(
            "a Ceph cluster outside Kubernetes",
            "install its StorageClass beside this stack and list it in storage.classes",
        ),
        ("storage", "ceph", "failure_domain"): Planned(
            "spreading copies over racks or zones", "leave it out: copies lie on different hosts"
        ),
        ("storage", "ceph", "snapshots"): Planned(
            "volume snapshots", "leave it out and copy what you need to the object store"
        ),
        ("storage", "ceph", "toolbox"): _CEPH_TOOLS,
        ("storage", "ceph", "dashboard"): _CEPH_TOOLS,
        ("gpu_operator", "dra"): _DRA,
        ("gpu_operator", "gpu_cluster"): _DRA,
        ("gpu_operator", "compute_domains"): _DOMAINS,
        ("node_pools", EACH, "compute_domain"): _DOMAINS,
        ("node_pools", EACH, "imex"): _DOMAINS,
        ("node_pools", EACH, "dra"): _DRA,
        ("node_pools", EACH, "driver", "vgpu"): Planned(
            "NVIDIA vGPU", "leave it out: machines of this site run on their GPUs themselves"
        ),
    }
)

_VALUES: Final[Mapping[tuple[Path, str], Planned]] = MappingProxyType(
    {
        (("node_pools", EACH, "workload"), "shared"): Planned(
            "a pool that moves between Kubernetes and Slurm",
            "write workload: kubernetes or workload: slurm",
        ),
        (("scheduler", "kind"), "kai"): Planned("the KAI scheduler", "use kueue or volcano"),
    }
)


def planned_words() -> Iterator[tuple[Path, str, Planned]]:
    """Everything planned: its path, the value where it is one, and what is said about it."""
    for path, planned in _KEYS.items():
        yield path, "", planned
    for (path, value), planned in _VALUES.items():
        yield path, f": {value}", planned


def planned_key(path: Path) -> Finding | None:
    """The refusal of a key, where it is one that is planned."""
    return _refusal(path, _KEYS.get(_general(path)))


def planned_value(path: Path, value: object) -> Finding | None:
    """The refusal of a value, where it is one that is planned."""
    if not isinstance(value, str):
        return None
    return _refusal(path, _VALUES.get((_general(path), value)))


def _general(path: Path) -> Path:
    return tuple(EACH if isinstance(step, int) else step for step in path)


def _refusal(path: Path, planned: Planned | None) -> Finding | None:
    if planned is None:
        return None
    message = f"{planned.what} is planned and not offered yet"
    return error("not-offered", dotted(path), message, planned.meanwhile)
