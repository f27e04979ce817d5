"""What a person reads after `make up`: what there is, and what to try next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_TENANT: Final = ("TENANT", "NAMESPACE", "QUOTA (CEILING)", "QUEUE")


def summary(outputs: Mapping[str, Any], kubeconfig: Path) -> str:
    """The stack's outputs as two tables, and the next steps."""
    pools = [
        (
            str(pool["name"]),
            str(pool["nodes"]),
            _gpu(pool),
            _counts(pool["devices"]),
            str(pool.get("driver") or "-"),
            str(pool.get("mig") or "-"),
        )
        for pool in outputs["pools"]
    ]
    slurm = any("slurm" in tenant for tenant in outputs["tenants"])
    tenants = [
        (
            str(tenant["name"]),
            str(tenant["namespace"]),
            _quota(tenant["quota"]),
            str(tenant["queue"]),
            *([_account(tenant.get("slurm"))] if slurm else []),
        )
        for tenant in outputs["tenants"]
    ]
    return "\n".join(
        [
            "",
            *_table(("POOL", "NODES", "GPUS PER NODE", "OFFERS", "DRIVER", "MIG"), pools),
            "",
            *_table((*_TENANT, *(["SLURM ACCOUNT"] if slurm else [])), tenants),
            "",
            *_pending(outputs.get("pending") or ()),
            f"kubeconfig: {kubeconfig}",
            "Try next:",
            f"  export KUBECONFIG={shlex.quote(str(kubeconfig))}",
            "  kubectl get nodes -L gpu-cluster.io/pool",
            *(["  kubectl create -f docs/examples/job.yaml"] if _runs_the_example(outputs) else []),
        ]
    )


def _runs_the_example(outputs: Mapping[str, Any]) -> bool:
    """Whether the site has the tenant and the queue that the example job is for."""
    return any(
        tenant["namespace"] == "ml-team"
        and tenant["queue"] == "default"
        and tenant["quota"].get("requests.nvidia.com/gpu", "0") != "0"
        for tenant in outputs["tenants"]
    )


def _gpu(pool: Mapping[str, Any]) -> str:
    gpu = pool.get("gpu")
    return f"{int(gpu['count'])} x {gpu['model']}" if gpu else "-"


def _counts(devices: Mapping[str, float]) -> str:
    return ", ".join(f"{int(count)} {name}" for name, count in sorted(devices.items())) or "-"


def _quota(hard: Mapping[str, str]) -> str:
    """GPU resources first and without zeros: those say what the tenant cannot have."""
    devices = {
        name.removeprefix("requests."): amount
        for name, amount in hard.items()
        if "nvidia.com/" in name and amount != "0"
    }
    return ", ".join(f"{amount} {name}" for name, amount in sorted(devices.items())) or "no GPUs"


def _account(slurm: Mapping[str, Any] | None) -> str:
    return f"{slurm['account']}: {int(slurm['gpus'])} GPUs at most" if slurm else "-"


def _pending(nodes: Iterable[str]) -> list[str]:
    """Nodes that take no work yet, which a run that ended well would otherwise hide."""
    lines = [f"  {node}" for node in nodes]
    return ["Not done yet; the next run goes on with:", *lines, ""] if lines else []


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
