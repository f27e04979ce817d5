"""Where everything of one cluster lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_cluster_sandbox.cluster.pki import Pki

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The folder of one cluster, with a name for each thing in it."""

    state: Path

    @property
    def pki(self) -> Pki:
        """Keys and certificates."""
        return Pki(self.state / "pki")

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.state / "kubeconfig"

    @property
    def data(self) -> Path:
        """The cluster's objects."""
        return self.state / "etcd"

    @property
    def run(self) -> Path:
        """Pid files and the parts' own kubeconfigs: only there while the cluster runs."""
        return self.state / "run"

    @property
    def ports(self) -> Path:
        """The remembered ports."""
        return self.state / "ports.json"

    def part_kubeconfig(self, part: str) -> Path:
        """A part's own kubeconfig."""
        return self.run / f"{part}.kubeconfig"

    @property
    def egress(self) -> Path:
        """How the API server reaches Services, where some have a controller behind them."""
        return self.run / "egress.json"

    def controller_home(self, part: str) -> Path:
        """The folder with an operator's controller's own files."""
        return self.run / part

    def pid_file(self, part: str) -> Path:
        """A part's pid file."""
        return self.run / f"{part}.json"

    def log(self, part: str) -> Path:
        """A part's log."""
        return self.state / "logs" / f"{part}.log"
