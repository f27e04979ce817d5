"""kwok's stages: how simulated nodes, pods and operators' objects go on by themselves.

Stages are objects in the cluster, so that a chart's stand-in can bring those of its operator
once its CRDs are served: kwok refuses stages of a kind that the API server does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from gpu_cluster_sandbox.stages.devices import device_stages
from gpu_cluster_sandbox.stages.driver import driver_stages
from gpu_cluster_sandbox.stages.gate import gate_stages

_FOLDER: Final = Path(__file__).parent


def stage_crd() -> dict[str, Any]:
    """The CustomResourceDefinition of stages; it has to be served before kwok starts."""
    return next(_documents(_FOLDER / "crd.yaml"))


def cluster_stages() -> list[dict[str, Any]]:
    """The stages of nodes and pods, which every sandbox has."""
    files = (_FOLDER / "node.yaml", _FOLDER / "pod.yaml")
    written = (stage for path in files for stage in _documents(path))
    return [*written, *device_stages(), *driver_stages(), *gate_stages()]


def operator_stages(chart: str) -> list[dict[str, Any]]:
    """The stages that give a chart's custom resources the status its operator would.

    Args:
        chart: The chart's name; one without stages gives none.
    """
    path = _FOLDER / "operators" / f"{chart}.yaml"
    return list(_documents(path)) if path.exists() else []


def shipped_groups() -> frozenset[str]:
    """API groups of all custom resources that any shipped stage touches."""
    folder = _FOLDER / "operators"
    references = [
        str(stage["spec"]["resourceRef"]["apiGroup"])
        for path in folder.glob("*.yaml")
        for stage in _documents(path)
    ]
    return frozenset(reference.partition("/")[0] for reference in references)


def _documents(path: Path) -> Iterator[dict[str, Any]]:
    return yaml.safe_load_all(path.read_text("utf-8"))
