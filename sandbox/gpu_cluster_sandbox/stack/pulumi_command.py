"""Runs the Pulumi command line with a backend, a passphrase and a home of the sandbox's own."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.stack.workspace import Workspace

_READS_CONFIGURATION = frozenset({"config", "destroy", "preview", "refresh", "up"})


@dataclass(frozen=True, slots=True)
class PulumiCommand:
    """The `pulumi` of one workspace.

    Attributes:
        workspace: The site it works on.
        engine: Where its programs and plugins are.
    """

    workspace: Workspace
    engine: Engine

    def environment(self) -> dict[str, str]:
        """The environment in which every run of this workspace happens."""
        home = self.workspace.state / "pulumi"
        temporary = self.workspace.state / "tmp"
        for folder in (self.workspace.backend, temporary):
            folder.mkdir(parents=True, exist_ok=True)
        return {
            **os.environ,
            **self.engine.environment(),
            # A killed provider leaves kubeconfigs where it keeps temporary files.
            "TMPDIR": os.fspath(temporary),
            "PULUMI_HOME": os.fspath(home),
            "PULUMI_BACKEND_URL": f"file://{self.workspace.backend}",
            "PULUMI_CONFIG_PASSPHRASE_FILE": os.fspath(self._passphrase()),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1",
        }

    def _passphrase(self) -> Path:
        path = self.workspace.state / "passphrase"
        if not path.exists():
            self.workspace.state.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary = path.with_suffix(".new")
            temporary.touch(mode=0o600)
            temporary.write_text(secrets.token_urlsafe(24))
            temporary.replace(path)
        return path

    def create_stack(self) -> None:
        """Makes the stack where it is missing.

        Making one writes a salt into the stack file of the project it is made in, and no flag
        names another file; so it is made in a project of the same name beside the working copy,
        and the user's file stays as it is.
        """
        if self.stack_exists():
            return
        folder = self.workspace.state / "project"
        folder.mkdir(exist_ok=True)
        here = {"name": self.workspace.project_settings["name"], "runtime": "python"}
        (folder / "Pulumi.yaml").write_text(yaml.safe_dump(here))
        self._quietly("stack", "init", "--no-select", "--cwd", os.fspath(folder))

    def set_secret(self, key: str, value: str) -> None:
        """Sets one secret of the working copy; the value goes by standard input."""
        self._quietly("config", "set", "--secret", "--path", key, given=value)

    def outputs(self) -> Mapping[str, Any]:
        """The stack's outputs, without the secret ones."""
        text = self._quietly("stack", "output", "--json")
        outputs: Mapping[str, Any] = json.loads(text)
        return outputs

    def exported(self, *, show_secrets: bool = False) -> str:
        """The stack's whole state as JSON."""
        return self._quietly("stack", "export", *(["--show-secrets"] if show_secrets else []))

    def stack_exists(self) -> bool:
        """Whether this workspace ever made its stack."""
        stacks = self.workspace.backend / ".pulumi" / "stacks"
        return any(stacks.rglob(f"{self.workspace.site}.json"))

    def unprotect(self) -> None:
        """Lets everything in the stack be deleted."""
        self._quietly("state", "unprotect", "--all", "--yes")

    def remove_stack(self) -> None:
        """Forgets an empty stack, with its history."""
        self._quietly("stack", "rm", "--yes", "--preserve-config")

    def run(self, *arguments: str) -> int:
        """Runs it before the user's eyes and returns its exit code."""
        return subprocess.run(
            self.command(arguments),
            cwd=self.workspace.project,
            env=self.environment(),
            check=False,
        ).returncode

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The whole command line; those that read configuration read the working copy."""
        command = [os.fspath(self.engine.program("pulumi")), *arguments]
        if arguments[0] in {"stack", "state", *_READS_CONFIGURATION}:
            command += ["--stack", self.workspace.site]
        if arguments[0] in _READS_CONFIGURATION:
            command += ["--config-file", os.fspath(self.workspace.stack_file)]
        return command

    def _quietly(self, *arguments: str, given: str | None = None) -> str:
        done = subprocess.run(
            self.command(arguments),
            cwd=self.workspace.project,
            env=self.environment(),
            input=given if given is not None else "",
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SandboxError(
                f"pulumi {' '.join(arguments[:2])} failed: {done.stderr.strip()}",
                "read what it says above",
            )
        return done.stdout
