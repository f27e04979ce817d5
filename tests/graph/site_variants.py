"""Sites that differ in what they install, for the tests that hold every chart to its facts.

Whoever adds a chart adds a variant that installs it, where none does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from graph_sites import NOTEBOOKS, SLURM, STORAGE, Changes

VARIANTS: Final[Mapping[str, Changes]] = {
    "kueue": {},
    "slurm": SLURM,
    "volcano": {("scheduler",): {"kind": "volcano"}},
    "cilium": {("network",): {"cni": {"kind": "cilium", "pod_cidr": "10.244.0.0/16", "mtu": 8950}}},
    "calico": {("network",): {"cni": {"kind": "calico", "pod_cidr": "10.244.0.0/16", "mtu": 8950}}},
    "trainer": {("scheduler",): {"kind": "kueue", "trainer": True}},
    "trainer with volcano": {("scheduler",): {"kind": "volcano", "trainer": True}},
    "monitoring": {
        ("monitoring",): {
            "volume": {"size": "200Gi", "storage_class": "fast"},
            "tenant_metrics": True,
            "grafana": {"admin_password": "planted-password"},
            "receivers": [
                {"name": "oncall", "slack": {"url": "https://planted-hook", "channel": "#a"}}
            ],
        },
        ("tenants", 0, "contact"): "oncall",
    },
    "monitoring of volcano": {
        ("monitoring",): {"grafana": {"admin_password": "planted-password"}},
        ("scheduler",): {"kind": "volcano"},
    },
    "notebooks": NOTEBOOKS,
    "infiniband": {
        ("node_pools", 0, "fabric"): {
            "link": "ndr400",
            "interfaces": ["ibs1", "ibs2"],
            "addresses": "192.168.64.0/20",
        },
        ("node_pools", 1, "fabric"): {"link": "hdr200", "driver": "host"},
    },
    "roce": {
        ("node_pools", 0, "fabric"): {
            "link": "roce-400",
            "interfaces": ["ens1f0np0", "ens2f0np0"],
            "addresses": "192.168.64.0/24",
        },
    },
    "leaving": {("tenants", 0, "state"): "leaving"},
    "selector": {
        ("node_pools", 0, "nodes"): None,
        ("node_pools", 0, "selector"): {"cloud/pool": "h100"},
        ("node_pools", 0, "count"): 2,
    },
    "storage": {("storage",): STORAGE, ("node_pools", 2, "nodes"): "st[1-6]"},
    "every operand": {
        ("images",): {
            "registry": "registry.lab.example/mirror",
            "credentials": "planted-credentials",
            "pull_secrets": ["made-by-others"],
        },
        ("gpu_operator",): {
            "devices": "volume-mounts",
            "toolkit": {"runtime": "rke2", "install_dir": "/opt/nvidia"},
            "default_driver": "580.178.04",
            "packages": {
                "repositories": {"lab.list": "deb https://mirror.lab.example/ubuntu noble main"},
                "certificates": {"lab.crt": "-----BEGIN CERTIFICATE-----"},
            },
            "dcgm": True,
            "node_status": True,
            "proof_by_workload": True,
            "kubelet_dir": "/data/kubelet",
        },
        ("node_pools", 0, "driver"): {
            "version": "580.173.02",
            "kernel_module": "open",
            "gds": True,
            "gdrcopy": True,
            "rdma": "peermem",
            "module_options": ["NVreg_RestrictProfilingToAdminUsers=0"],
        },
        ("node_pools", 0, "fabric"): "ndr400",
        ("node_pools", 1, "driver"): {
            "version": "580.173.02",
            "precompiled": ["6.8.0-60-generic"],
        },
    },
    "devices by a plugin of the runtime": {
        ("gpu_operator",): {"devices": "nri", "toolkit": {"runtime": "cri-o"}},
    },
    "containerd elsewhere": {
        ("gpu_operator",): {
            "toolkit": {"socket": "/run/own/containerd.sock", "config": "/etc/own/config.toml"},
            "kubelet_unit": "own-kubelet.service",
        },
    },
    "host drivers": {
        ("node_pools", 0, "driver"): {"source": "host", "version": "580.173.02"},
        ("node_pools", 1, "driver"): {"source": "managed"},
    },
}
"""What each changes in the tests' site, by what it shows."""
