"""A Pulumi program of a few lines on the real engine, for what needs no whole site."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from sandbox_project import Ran

from gpu_cluster_sandbox.engine import Engine


@dataclass(frozen=True)
class BareProgram:
    """A project folder with a program, a file backend and a home of its own.

    Attributes:
        folder: Holds all of it.
        engine: Programs and plugins.
        kubeconfig: Path of the cluster's kubeconfig, which the program finds in KUBECONFIG.
        variables: More of the program's environment.
    """

    folder: Path
    engine: Engine
    kubeconfig: Path
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def backend(self) -> Path:
        """Where the state lies."""
        return self.folder / "backend"

    def write(self, program: str) -> None:
        """Writes the program, in the Python environment of these tests."""
        self.backend.mkdir(parents=True, exist_ok=True)
        environment = str(Path(sys.executable).parent.parent)
        project = {
            "name": "bare",
            "runtime": {
                "name": "python",
                "options": {"toolchain": "pip", "virtualenv": environment},
            },
        }
        (self.folder / "Pulumi.yaml").write_text(yaml.safe_dump(project))
        (self.folder / "__main__.py").write_text(program)

    def environment(self) -> dict[str, str]:
        """What every command of the project runs in."""
        return {
            **os.environ,
            **self.engine.environment(),
            "KUBECONFIG": str(self.kubeconfig),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{self.backend}",
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1",
            "NO_COLOR": "1",
            **self.variables,
        }

    def pulumi(self, *arguments: str, timeout: float = 120) -> Ran:
        """Runs `pulumi`."""
        return self.run("pulumi", *arguments, timeout=timeout)

    def run(self, *command: str, timeout: float = 120) -> Ran:
        """Runs any command of the project's environment."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Ran(done.returncode, done.stdout)
