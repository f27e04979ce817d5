"""Sites made for tests: small ones that hold, to be broken at one place."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.findings import Finding
from pulumi_gpu_cluster.reading.shape import validated
from pulumi_gpu_cluster.site import Site

AS_OF = dt.date(2026, 9, 1)


def cpu_pool(name: str = "general", **changes: object) -> dict[str, Any]:
    return {"name": name, "nodes": f"{name}[1-2]", "cpus": 64, "memory": "256Gi", **changes}


def gpu_pool(name: str = "train", **changes: object) -> dict[str, Any]:
    pool: dict[str, Any] = {
        "name": name,
        "nodes": f"{name}[01-04]",
        "cpus": 192,
        "memory": "1800Gi",
        "gpu": {"model": "H100-SXM5-80GB", "count": 8},
        "driver": "580.173.02",
    }
    return {**pool, **changes}


def tenant(
    name: str = "ml-team", quota: Mapping[str, object] | None = None, **changes: object
) -> dict[str, Any]:
    given = quota or {"train": {"gpu": 8}, "storage": "1Ti"}
    return {"name": name, "group": name, "quota": given, **changes}


def stack_text(site: object) -> str:
    """A stack file that holds a site; JSON is YAML too."""
    return json.dumps({"config": {"gpu-cluster:site": site}})


def raw_site(**changes: object) -> dict[str, Any]:
    return {
        "name": "lab",
        "control_plane": {"version": "1.36.3"},
        "node_pools": [gpu_pool(), cpu_pool()],
        "network": {"cni": {"kind": "existing", "name": "calico"}},
        **changes,
    }


def made_site(**changes: object) -> Site:
    """A site of the right shape, whatever the rules say to it."""
    site, faults = validated(Site, raw_site(**changes), quote=True)
    assert site is not None, faults
    return site


def judged(as_of: dt.date = AS_OF, **changes: object) -> tuple[Finding, ...]:
    """What the rules say to a site of the right shape."""
    return check(made_site(**changes), as_of)


def misshapen(**changes: object) -> tuple[Finding, ...]:
    """What is wrong with a site's shape."""
    site, faults = validated(Site, raw_site(**changes), quote=True)
    assert site is None
    return faults


def places(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Rule and path of each finding."""
    return [(finding.rule, finding.path) for finding in findings]
