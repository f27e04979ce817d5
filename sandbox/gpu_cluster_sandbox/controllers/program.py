"""Starts a controller so that it finds its files where its image and its pod would have them.

The paths are fixed in the program. It is given a root folder of its own, in a mount namespace of
its own, so that nothing appears on the machine; where the kernel lets users have such namespaces,
no rights are needed.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpu_cluster_sandbox.cluster.files import write_private
from gpu_cluster_sandbox.engine.build import carried
from gpu_cluster_sandbox.engine.cache import entry
from gpu_cluster_sandbox.engine.pins import Program
from gpu_cluster_sandbox.nodes.manifests import OS_RELEASE

_KUBECONFIG: Final = "/run/kubeconfig"


@dataclass(frozen=True, slots=True)
class Home:
    """The part of a controller's files that is one sandbox's: its rights, and its node's nature.

    Attributes:
        folder: Where they lie on the machine.
    """

    folder: Path

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig that the controller reads."""
        return self.folder / "run" / Path(_KUBECONFIG).name

    @property
    def certificates(self) -> Path:
        """Where the controller's serving certificate lies."""
        return self.folder / "certificates"

    @property
    def settings(self) -> Path:
        """The file with the controller's settings."""
        return self.folder / "settings.yaml"

    def prepare(self) -> None:
        """Makes the folders, and says of which kind the node is that it runs on."""
        for name in ("run", "host-etc", "certificates"):
            (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(self.folder / "host-etc" / "os-release", OS_RELEASE.encode())


def start(
    program: Program, arguments: Sequence[str], environment: Mapping[str, str], home: Home
) -> subprocess.Popen[bytes]:
    """The controller's process, which ends with the caller."""
    alone = bool(program.carries)
    surroundings = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/run" if alone else str(home.folder),
        "USER": program.name,
        "KUBECONFIG": _KUBECONFIG if alone else str(home.kubeconfig),
    }
    return subprocess.Popen(
        command(program, arguments, home),
        env={**environment, **surroundings},
        stdin=subprocess.DEVNULL,
    )


def command(program: Program, arguments: Sequence[str], home: Home) -> list[str]:
    """The whole command line."""
    # The caller may be killed at any moment; the kernel then ends the controller.
    tied = ["setpriv", "--pdeathsig", "KILL", "--"]
    if not program.carries:
        return [*tied, str(entry(program) / program.name), *arguments]
    root = carried(program)
    mounts = [
        shlex.join(["mount", "--bind", str(home.folder / name), str(root / name)])
        for name in ("run", "host-etc")
    ]
    inner = [*tied, "chroot", str(root), f"/{program.name}"]
    script = "\n".join([*mounts, f"exec {shlex.join([*inner, *arguments])}"])
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *user, "--", "sh", "-euc", script]
