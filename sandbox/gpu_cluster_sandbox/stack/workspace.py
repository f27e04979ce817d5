"""Where one site's sandbox keeps its things, and who may touch them at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from gpu_cluster_sandbox.errors import SandboxError


def state_folder(site: str, state_dir: Path | None = None) -> Path:
    """The folder that holds everything the sandbox writes for a site."""
    return (state_dir or Path.cwd() / ".sandbox" / site).absolute()


@dataclass(frozen=True, slots=True)
class Workspace:
    """One site's sandbox: the project it belongs to, and its folder.

    Attributes:
        project: The folder that holds Pulumi.yaml.
        site: The site's name, as in `stacks/Pulumi.<site>.yaml`.
        state: The folder that holds everything the sandbox writes for this site.
    """

    project: Path
    site: str
    state: Path

    @classmethod
    def of(cls, site: str, state_dir: Path | None = None) -> Workspace:
        """The workspace of a site of the project in the working directory.

        Raises:
            SandboxError: There is no Pulumi project here, it has no such site, or the folder for
                the sandbox holds something else, which `down` would remove.
        """
        project = Path.cwd()
        if not (project / "Pulumi.yaml").is_file():
            raise SandboxError(
                f"{project} holds no Pulumi.yaml", "run this in the folder of your Pulumi project"
            )
        workspace = cls(project, site, state_folder(site, state_dir))
        if not workspace.site_file.is_file():
            raise workspace._no_stack_file()
        if workspace._is_somebody_elses():
            raise SandboxError(
                f"{workspace.state} holds what the sandbox did not write, and down removes it all",
                "name an empty or a new folder with --state-dir",
            )
        return workspace

    def _no_stack_file(self) -> SandboxError:
        message = f"there is no stack file {self.site_file.relative_to(self.project)}"
        if self.state.is_dir():
            return SandboxError(
                f"{message}, and its sandbox is still there",
                f"put the file back; or gpu-cluster-sandbox stop --site {self.site}, and remove "
                f"{self.state}",
            )
        known = ", ".join(sorted(self._sites())) or "none"
        return SandboxError(message, f"name a site with SITE=<name>; here are: {known}")

    def _is_somebody_elses(self) -> bool:
        """Whether the folder has content and was never locked by a run of ours."""
        if not self.state.is_dir() or (self.state / "lock").exists():
            return False
        return any(self.state.iterdir())

    def _sites(self) -> Iterator[str]:
        for path in self._stack_dir.glob("Pulumi.*.yaml"):
            yield path.name.removeprefix("Pulumi.").removesuffix(".yaml")

    @property
    def _stack_dir(self) -> Path:
        return self.project / str(self.project_settings.get("stackConfigDir", "."))

    @property
    def project_settings(self) -> Mapping[str, Any]:
        """What Pulumi.yaml says.

        Raises:
            SandboxError: It is not YAML, or no mapping.
        """
        try:
            settings: object = yaml.safe_load((self.project / "Pulumi.yaml").read_text())
        except (yaml.YAMLError, UnicodeDecodeError):
            settings = None
        if not isinstance(settings, dict):
            raise SandboxError(
                f"{self.project / 'Pulumi.yaml'} is no project file",
                "write it as YAML, with a name and a runtime",
            )
        return cast("Mapping[str, Any]", settings)

    @property
    def site_file(self) -> Path:
        """The user's stack file, which is only ever read."""
        return self._stack_dir / f"Pulumi.{self.site}.yaml"

    @property
    def stack_file(self) -> Path:
        """The working copy, with the sandbox's overrides."""
        return self.state / f"Pulumi.{self.site}.yaml"

    @property
    def charts(self) -> Path:
        """The stand-in charts."""
        return self.state / "charts"

    @property
    def backend(self) -> Path:
        """The folder of Pulumi's file backend."""
        return self.state / "backend"

    @property
    def unfinished(self) -> Path:
        """Exists while a run is at work, and after one that did not end well."""
        return self.state / "unfinished"

    @contextlib.contextmanager
    def alone(self) -> Generator[None]:
        """Holds the workspace, so that a second run waits for nobody and harms nothing.

        Raises:
            SandboxError: Another run holds it.
        """
        self.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.state / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                raise SandboxError(
                    f"another run (process {lock.read().strip() or 'unknown'}) is at work on the "
                    f"sandbox of {self.site}",
                    "wait until it has ended",
                ) from None
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield
