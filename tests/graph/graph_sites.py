"""Sites for the tests of the resource graph."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from pulumi_gpu_cluster.site import Site

KUBECONFIG = "apiVersion: v1\nkind: Config\nusers: [{name: admin, user: {token: planted-token}}]\n"

_TAINTS = [{"key": "nvidia.com/gpu", "value": "present"}]

_SITE: dict[str, Any] = {
    "name": "lab",
    "control_plane": {"kind": "existing", "version": "1.36.3", "kubeconfig": KUBECONFIG},
    "node_pools": [
        {
            "name": "train",
            "nodes": "gpu[01-02]",
            "cpus": 192,
            "memory": "1800Gi",
            "gpu": {"model": "H100-SXM5-80GB", "count": 8},
            "driver": "580.173.02",
            "taints": _TAINTS,
        },
        {
            "name": "serve",
            "nodes": "mig01",
            "cpus": 128,
            "memory": "900Gi",
            "gpu": {"model": "A100-SXM4-80GB", "count": 8},
            "driver": "595.91.07",
            "mig": "all-3g.40gb",
        },
        {"name": "general", "nodes": "cpu1", "cpus": 64, "memory": "250Gi"},
    ],
    "tenants": [
        {
            "name": "ml",
            "group": "ml",
            "weight": 60,
            "quota": {
                "train": {"gpu": {"guarantee": 8, "ceiling": 12}},
                "serve": {"mig-3g.40gb": 8},
                "general": {"cpu": 32, "memory": "64Gi"},
            },
        },
        {
            "name": "vision",
            "group": "vision",
            "admins": "vision-leads",
            "viewers": "auditors",
            "weight": 30,
            "quota": {"serve": {"mig-3g.40gb": {"guarantee": 4, "ceiling": 8}}},
        },
    ],
}

STORAGE: dict[str, Any] = {
    "ceph": {
        "nodes": "st[1-6]",
        "devices": ["/dev/disk/by-id/nvme-a", "/dev/disk/by-id/nvme-b"],
        "filesystem": {"erasure": "4+2"},
        "objects": {},
    },
    "beegfs": {
        "file_systems": [
            {
                "name": "scratch",
                "management": "beegfs.lab.example",
                "path": "/k8s/lab",
                "auth": "planted-auth",
                "certificate": "-----BEGIN CERTIFICATE-----\n",
            }
        ]
    },
}
"""A section with everything that storage offers, for sites with nodes st[1-6]."""

Path = tuple[str | int, ...]
Changes = dict[Path, Any]

NOTEBOOKS: Changes = {
    ("workloads",): {
        "jupyterhub": {
            "domain": "jupyter.lab.example",
            "image": "registry.lab.example/notebooks/pytorch:2026.2",
            "oidc": {
                "authorize_url": "https://sso.lab.example/authorize",
                "token_url": "https://sso.lab.example/token",
                "userinfo_url": "https://sso.lab.example/userinfo",
                "client_id": "jupyterhub",
                "client_secret": "planted-client-secret",
            },
            "key": "planted-key",
        }
    }
}
"""A hub for each tenant."""
SLURM: Changes = {
    ("node_pools", 0, "workload"): "slurm",
    ("slurm",): {
        "partitions": [{"name": "long", "pools": ["train"], "max_time": "2-00:00:00"}],
        "login": {"ssh_keys": ["ssh-ed25519 AAAA admin"]},
        "members": {"ml": ["alice", "bob"]},
        # Keys are 32 bytes in base64, as `secrets init` makes them.
        "slurm_key": "cGxhbnRlZC1zbHVybS1rZXktcGxhbnRlZC1zbHVybS0=",
        "jwt_key": "cGxhbnRlZC1qd3Qta2V5LXBsYW50ZWQtand0LWtleS0=",
        "database": {"password": "planted-token-user", "root_password": "planted-token-root"},
    },
}
"""What makes the pool `train` of the tests' site one of Slurm's."""


def site(changes: Mapping[Path, Any] | None = None) -> Site:
    """The tests' site, with changes at some paths; None takes an entry away.

    Args:
        changes: New values by path: {("node_pools", 0, "nodes"): "gpu[01-03]"}.
    """
    raw = copy.deepcopy(_SITE)
    for path, value in (changes or {}).items():
        place: Any = raw
        for step in path[:-1]:
            place = place[step]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = copy.deepcopy(value)
    return Site.model_validate(raw)
