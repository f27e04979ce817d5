"""The Pulumi command line, as far as a recovery needs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pulumi_gpu_cluster.operations.recover.errors import RecoverError


@dataclass(frozen=True, slots=True)
class Engine:
    """`pulumi` for one stack, in the user's own environment and project.

    Attributes:
        stack: The stack's name.
        config_file: Its stack file, where it is not at its usual place.
    """

    stack: str
    config_file: Path | None = None

    def backend_url(self) -> str:
        """Where states are kept: file:///..., s3://..., https://...."""
        answer: dict[str, Any] = json.loads(self._run("whoami", "--verbose", "--json"))
        return str(answer["url"])

    def export(self) -> dict[str, Any]:
        """The stack's state, its secrets in plain text: it stays in memory, always."""
        text = self._run("stack", "export", "--stack", self.stack, "--show-secrets")
        return cast("dict[str, Any]", json.loads(text))

    def replace_state(self, document: dict[str, Any]) -> None:
        """Writes the state, which encrypts its secrets and forgets all pending operations."""
        self._run("stack", "import", "--stack", self.stack, given=json.dumps(document))

    def refresh(self, urns: Sequence[str]) -> None:
        """Has these resources read from the cluster; what is gone leaves the state."""
        where = ["--config-file", str(self.config_file)] if self.config_file else []
        targets = [word for urn in urns for word in ("--target", urn)]
        options = ["--yes", "--non-interactive", "--skip-preview", "--suppress-outputs"]
        self._run("refresh", "--stack", self.stack, *where, *options, *targets)

    def _run(self, *arguments: str, given: str = "") -> str:
        try:
            done = subprocess.run(
                ["pulumi", *arguments, "--color", "never"],
                input=given,
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise RecoverError(
                "there is no pulumi on PATH; fix: install it, then run this again"
            ) from None
        if done.returncode:
            # What refresh finds wrong it says on its standard output.
            said = "\n  ".join(_complaints(done.stderr) or _complaints(done.stdout))
            command = " ".join(arguments[: 2 if arguments[0] == "stack" else 1])
            raise RecoverError(
                f"pulumi {command} ended with exit code {done.returncode}: {said}; fix: mend that, "
                f"then run this again{_if_locked(said, self.stack)}"
            )
        return done.stdout


def _complaints(output: str) -> list[str]:
    lines = [line.strip() for line in output.splitlines()]
    return [line for line in lines if line.startswith("error: ")] or [
        line for line in lines if line and not line.startswith("warning: ")
    ][-3:]


def _if_locked(said: str, stack: str) -> str:
    if "locked" not in said and "another update" not in said.lower():
        return ""
    return f". If no run is under way, pulumi cancel --stack {stack} takes the lock away"
