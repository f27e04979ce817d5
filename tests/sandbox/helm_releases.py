"""A Pulumi program with one Helm release per stand-in chart."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Final

from bare_cluster import Json
from sandbox_project import Project, Ran

from gpu_cluster_sandbox.charts import write_charts
from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand

VALUES: Final[Mapping[str, Json]] = {
    "gpu-operator": {
        "mig": {"strategy": "mixed"},
        "driver": {
            "nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False},
            "upgradePolicy": {"gpuPodDeletion": {"force": True}},
        },
        "operator": {"nodeSelector": {"kubernetes.io/os": "linux"}},
        "node-feature-discovery": {"master": {"extraLabelNs": ["nvidia.com"]}},
    },
    "network-operator": {"nfd": {"enabled": False}, "sriovNetworkOperator": {"enabled": True}},
    "kueue": {"controllerManager": {"replicas": 1}},
    "volcano": {"custom": {"scheduler_replicas": 1}},
}
"""Values that the charts know."""

_STACK: Final = "releases"
_PROGRAM: Final = """
    import json
    from pathlib import Path

    import pulumi
    from pulumi_kubernetes import Provider
    from pulumi_kubernetes.helm.v3 import Release

    here = json.loads(Path("releases.json").read_text())
    provider = Provider("cluster", kubeconfig=here["kubeconfig"])
    for chart, values in here["values"].items():
        Release(
            chart,
            name=chart,
            chart=f"{here['charts']}/{chart}",
            namespace=f"{chart}-system",
            create_namespace=True,
            values=values,
            opts=pulumi.ResourceOptions(provider=provider),
        )
"""


@dataclass(frozen=True)
class Releases:
    """The program, in a folder of its own.

    Attributes:
        project: The folder and the engine.
        kubeconfig: Of the cluster that gets the releases.
    """

    project: Project
    kubeconfig: Path

    @classmethod
    def in_folder(cls, folder: Path, engine: Engine, kubeconfig: Path) -> Releases:
        """Writes the program and the charts, and makes its stack."""
        options = {"virtualenv": sys.prefix}
        settings = {"name": _STACK, "runtime": {"name": "python", "options": options}}
        (folder / "Pulumi.yaml").write_text(json.dumps(settings))
        (folder / "__main__.py").write_text(dedent(_PROGRAM))
        write_charts(folder / "charts")
        project = Project(folder, engine)
        workspace = project.workspace(_STACK)
        workspace.state.mkdir(parents=True)
        workspace.stack_file.write_text("config: {}\n")
        command = [str(engine.program("pulumi")), "stack", "init", _STACK]
        environment = PulumiCommand(workspace, engine).environment()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return cls(project, kubeconfig)

    def up(self, values: Mapping[str, Json]) -> Ran:
        """Brings the releases up with these values."""
        self._write(values)
        return self.project.pulumi(_STACK, "up", "--yes", "--skip-preview", "--continue-on-error")

    def preview(self, values: Mapping[str, Json]) -> Ran:
        """Shows what would happen with these values."""
        self._write(values)
        return self.project.pulumi(_STACK, "preview")

    def _write(self, values: Mapping[str, Json]) -> None:
        content = {
            "kubeconfig": str(self.kubeconfig),
            "charts": str(self.project.folder / "charts"),
            "values": dict(values),
        }
        (self.project.folder / "releases.json").write_text(json.dumps(content))
