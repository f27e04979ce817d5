"""A Pulumi project under a temporary folder, driven by the commands that users type."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from lightkube import Client, KubeConfig
from lightkube.resources.core_v1 import Node

from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand
from gpu_cluster_sandbox.stack.workspace import Workspace


@dataclass(frozen=True)
class Ran:
    """What a command did.

    Attributes:
        code: Its exit code.
        output: Standard output and standard error as they came.
    """

    code: int
    output: str


@dataclass(frozen=True)
class Project:
    """A project folder and the engine that its commands find on PATH.

    Attributes:
        folder: Holds Pulumi.yaml and stacks/.
        engine: Programs and plugins.
    """

    folder: Path
    engine: Engine

    def write_site(self, document: Mapping[str, Any], name: str) -> None:
        """Writes a stack file; the site inside gets the same name."""
        changed = json.loads(json.dumps(document))
        changed["config"]["gpu-cluster:site"]["name"] = name
        if teardown := changed["config"]["gpu-cluster:site"].get("teardown"):
            teardown["confirm"] = name
        (self.folder / "stacks" / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump(changed))

    def workspace(self, site: str) -> Workspace:
        """Where the sandbox keeps this site."""
        return Workspace(self.folder, site, self.folder / ".sandbox" / site)

    def sandbox(self, *arguments: str, timeout: float = 240) -> Ran:
        """Runs `gpu-cluster-sandbox` as a user does."""
        command = Path(sys.executable).parent / "gpu-cluster-sandbox"
        return self._run([str(command), *arguments], timeout)

    def pulumi(self, site: str, *arguments: str, timeout: float = 240) -> Ran:
        """Runs `pulumi` with the site's backend, stack and working copy."""
        command = PulumiCommand(self.workspace(site), self.engine)
        return self._run(command.command(arguments), timeout, command.environment())

    def client(self, site: str) -> Client:
        """The cluster's administrator."""
        path = self.workspace(site).state / "kubeconfig"
        return Client(config=KubeConfig.from_file(path))

    def stop_everything(self) -> None:
        """Stops whatever a failed test left running."""
        for state in (self.folder / ".sandbox").glob("*"):
            self.sandbox("stop", "--site", state.name)

    def _run(
        self, command: list[str], timeout: float, environment: Mapping[str, str] | None = None
    ) -> Ran:
        # A file, not a pipe: daemons that outlive the command must not keep us waiting.
        log = self.folder / "last-command.log"
        with log.open("w+") as output:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=dict(environment or os.environ, NO_COLOR="1"),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                check=False,
            )
        return Ran(done.returncode, log.read_text(encoding="utf-8", errors="replace"))


@dataclass(frozen=True)
class RunningSite:
    """A site of a project that was brought up.

    Attributes:
        project: Whose site.
        name: The site's name.
        first_up: What the first `gpu-cluster-sandbox up` did.
    """

    project: Project
    name: str
    first_up: Ran

    @property
    def workspace(self) -> Workspace:
        """Where the sandbox keeps this site."""
        return self.project.workspace(self.name)

    @property
    def state(self) -> Path:
        """The folder with everything that the sandbox wrote."""
        return self.workspace.state

    def client(self) -> Client:
        """The cluster's administrator."""
        return self.project.client(self.name)

    def sandbox(self, command: str, *arguments: str) -> Ran:
        """Runs `gpu-cluster-sandbox COMMAND --site <this one>`."""
        return self.project.sandbox(command, "--site", self.name, *arguments)

    def pulumi(self, *arguments: str) -> Ran:
        """Runs `pulumi` on this site's stack."""
        return self.project.pulumi(self.name, *arguments)


def bring_up(project: Project, name: str, *options: str) -> RunningSite:
    """Brings a site up whose stack file is there, and insists that it came up."""
    ran = project.sandbox("up", "--site", name, *options)
    assert ran.code == 0, ran.output
    return RunningSite(project, name, ran)


def assert_nothing_changed(again: Ran) -> None:
    """Insists that a second `up` found everything as it should be."""
    assert again.code == 0, again.output
    assert re.search(r"^ +\d+ unchanged$", again.output, re.MULTILINE), again.output
    assert not re.search(r"\d+ (created|updated|deleted|replaced)", again.output), again.output


def processes_that_mention(folder: Path) -> list[str]:
    """Command lines of living processes that name a folder."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in line:
            found.append(line)
    return found


def labels_of(client: Client, node: str) -> dict[str, str]:
    """A node's labels."""
    metadata = client.get(Node, node).metadata
    return cast("dict[str, str]", metadata.labels or {}) if metadata else {}


def taints_of(client: Client, node: str) -> set[tuple[str, str, str]]:
    """A node's taints as key, value and effect, without those of its controllers."""
    spec = client.get(Node, node).spec
    taints = (spec.taints if spec else None) or []
    return {
        (taint.key, taint.value or "", taint.effect)
        for taint in taints
        if not taint.key.startswith("node.kubernetes.io/")
    }
