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

    def prepare(self) -> None:
        """Makes the folders, and says of which kind the node is that it runs on."""
        for name in ("run", "host-etc"):
            (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(self.folder / "host-etc" / "os-release", OS_RELEASE.encode())


def start(
    program: Program, arguments: Sequence[str], environment: Mapping[str, str], home: Home
) -> subprocess.Popen[bytes]:
    """The controller's process, which ends with the caller."""
    surroundings = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/run",
        "USER": program.name,
        "KUBECONFIG": _KUBECONFIG,
    }
    return subprocess.Popen(
        command(program, arguments, home),
        env={**environment, **surroundings},
        stdin=subprocess.DEVNULL,
    )


def command(program: Program, arguments: Sequence[str], home: Home) -> list[str]:
    """The whole command line."""
    root = carried(program)
    mounts = [
        shlex.join(["mount", "--bind", str(home.folder / name), str(root / name)])
        for name in ("run", "host-etc")
    ]
    # The caller may be killed at any moment; the kernel then ends the controller.
    inner = ["setpriv", "--pdeathsig", "KILL", "--", "chroot", str(root), f"/{program.name}"]
    script = "\n".join([*mounts, f"exec {shlex.join([*inner, *arguments])}"])
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *user, "--", "sh", "-euc", script]
