"""A stack's configuration, written by the engine's own command."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StackConfig:
    """The configuration of one stack.

    Attributes:
        stack: The stack's name.
        file: Its stack file, where it is not at its usual place.
    """

    stack: str
    file: Path | None = None

    @property
    def path(self) -> Path:
        """Its stack file."""
        return self.file or Path("stacks") / f"Pulumi.{self.stack}.yaml"

    def set_secret(self, key: str, value: str) -> str | None:
        """Keeps a secret, which goes to the engine by its standard input.

        Args:
            key: The path in the configuration: gpu-cluster:site.database.key.
            value: The secret.

        Returns:
            Why it could not be kept, and the way out; None where it was.
        """
        try:
            done = subprocess.run(
                self._command(key), input=value, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            return "there is no pulumi on PATH; fix: install it, then run this again"
        if done.returncode:
            said = (done.stderr or done.stdout).replace(value, "[secret]").strip()
            return f"pulumi ended with exit code {done.returncode}: {said}; fix: mend that first"
        return None

    def command(self, key: str) -> str:
        """What a person types to set a secret."""
        return shlex.join(self._command(key))

    def _command(self, key: str) -> list[str]:
        where = [] if self.file is None else ["--config-file", str(self.file)]
        command = ["pulumi", "config", "set", "--secret", "--stack", self.stack, *where]
        return [*command, "--path", key]
