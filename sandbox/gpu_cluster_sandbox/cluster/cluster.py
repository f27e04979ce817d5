"""The embedded cluster: started, mended, stopped and removed, each as often as one likes."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lightkube import Client, KubeConfig

from gpu_cluster_sandbox.cluster.errors import ClusterError
from gpu_cluster_sandbox.cluster.health import trouble
from gpu_cluster_sandbox.cluster.kubeconfig import write_kubeconfig
from gpu_cluster_sandbox.cluster.kwok import prepare_kwok
from gpu_cluster_sandbox.cluster.parts import PART_NAMES, Layout, Part, describe_parts
from gpu_cluster_sandbox.cluster.ports import API, LOOPBACK, load_ports, settle_taken
from gpu_cluster_sandbox.cluster.process import Process
from gpu_cluster_sandbox.engine.cache import locked

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gpu_cluster_sandbox.engine import Engine

_POLL_SECONDS: Final = 0.1
_LAST_LINES: Final = 15
_IDENTITIES: Final = {
    "kube-controller-manager": "controller-manager",
    "kube-scheduler": "scheduler",
    "kwok": "kwok",
}


@dataclass(frozen=True)
class PartStatus:
    """One part as `status` finds it.

    Attributes:
        pid: None where it does not run.
        trouble: Why it is not well; "" where it is.
    """

    name: str
    pid: int | None
    port: int | None
    trouble: str


class Cluster:
    """One embedded cluster, wholly described by its folder.

    Args:
        state_dir: The cluster's folder; other things may lie in it too.
        engine: The programs it runs.
    """

    def __init__(self, state_dir: Path, engine: Engine) -> None:
        self._layout = Layout(state_dir.absolute())
        self._engine = engine

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, mode 0600, there once the cluster was started."""
        return self._layout.kubeconfig

    def client(self) -> Client:
        """A client with the administrator's rights."""
        return Client(KubeConfig.from_file(self.kubeconfig), field_manager="gpu-cluster-sandbox")

    def start(self, report: Callable[[str], None]) -> None:
        """Bring every part up that is not up and well; a whole cluster is left alone.

        Raises:
            ClusterError: A part does not come up; the message carries the end of its log.
        """
        begun = time.monotonic()
        with self._locked(report):
            self._layout.pki.ensure()
            ports = load_ports(self._layout.ports)
            self._write_kubeconfigs(ports)
            parts = self._parts(ports)
            ailing = [part.name for part in parts if not self._is_well(part)]
            if not ailing:
                report("the cluster runs")
                return
            report(f"starting {', '.join(ailing)} ...")
            for part in parts:
                process = self._process(part.name)
                process.adopt()
                if part.name in ailing:
                    process.stop(part.grace)
            listeners = [*ailing, "etcd-peer"] if "etcd" in ailing else ailing
            ports = settle_taken(self._layout.ports, ports, listeners)
            self._write_kubeconfigs(ports)
            self._start_in_order(self._parts(ports))
        report(
            f"the cluster runs at https://{LOOPBACK}:{ports[API]} "
            f"({time.monotonic() - begun:.1f} s); kubeconfig: {self.kubeconfig}"
        )

    def stop(self, report: Callable[[str], None]) -> None:
        """End every part; the data, the ports and the kubeconfig stay for the next start."""
        with self._locked(report):
            for name in reversed(PART_NAMES):
                process = self._process(name)
                process.adopt()
                if process.pid() is not None:
                    report(f"stopping {name}")
                process.stop(self._grace(name))
            shutil.rmtree(self._layout.run, ignore_errors=True)

    def destroy(self, report: Callable[[str], None]) -> None:
        """Stop it and remove all that it kept: objects, keys, kubeconfig, ports and logs."""
        self.stop(report)
        layout = self._layout
        for folder in (layout.data, layout.pki.folder, layout.log("").parent):
            shutil.rmtree(folder, ignore_errors=True)
        for path in (layout.kubeconfig, layout.ports, self._lock):
            path.unlink(missing_ok=True)

    def status(self) -> list[PartStatus]:
        """Every part, in the order in which they start."""
        layout = self._layout
        if not layout.ports.exists():
            return [PartStatus(name, None, None, "never started") for name in PART_NAMES]
        found: list[PartStatus] = []
        for part in self._parts(load_ports(layout.ports)):
            pid = self._process(part.name).pid()
            why = trouble(part, layout.pki) if pid else "not running"
            found.append(PartStatus(part.name, pid, part.port, why))
        return found

    def logs(self, part: str) -> Path:
        """The log of a part.

        Raises:
            ClusterError: There is no such part.
        """
        if part not in PART_NAMES:
            raise ClusterError(
                f"the cluster has no part {part!r}", f"choose from {', '.join(PART_NAMES)}"
            )
        return self._layout.log(part)

    def _start_in_order(self, parts: tuple[Part, ...]) -> None:
        for part in parts:
            if part.name == "kwok":
                prepare_kwok(self.client())
            process = self._process(part.name)
            if not process.runs(part.command):
                process.stop(part.grace)
                process.start(part.command)
            # The first two carry the others, which then come up side by side.
            if part.name in {"etcd", API}:
                self._wait(part)
        for part in parts:
            self._wait(part)

    def _wait(self, part: Part) -> None:
        process = self._process(part.name)
        deadline = time.monotonic() + part.patience
        while why := trouble(part, self._layout.pki):
            ended = process.pid() is None
            if ended or time.monotonic() > deadline:
                what = "ended" if ended else f"is not well after {part.patience:.0f} s ({why})"
                log = self._layout.log(part.name)
                lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
                shown = "\n".join(f"  {line}" for line in lines)
                raise ClusterError(f"{part.name} {what}:\n{shown}\n", f"read the whole log, {log}")
            time.sleep(_POLL_SECONDS)

    def _is_well(self, part: Part) -> bool:
        return self._process(part.name).runs(part.command) and not trouble(part, self._layout.pki)

    def _parts(self, ports: dict[str, int]) -> tuple[Part, ...]:
        return describe_parts(self._layout, self._engine, ports)

    def _grace(self, name: str) -> float:
        return 10.0 if name == API else 5.0

    def _process(self, name: str) -> Process:
        layout = self._layout
        return Process(name, layout.pid_file(name), layout.log(name))

    def _write_kubeconfigs(self, ports: dict[str, int]) -> None:
        layout = self._layout
        server = f"https://{LOOPBACK}:{ports[API]}"
        cluster = f"sandbox-{layout.state.name}"
        write_kubeconfig(layout.kubeconfig, layout.pki, "admin", server, cluster)
        layout.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        for part, identity in _IDENTITIES.items():
            path = layout.part_kubeconfig(part)
            write_kubeconfig(path, layout.pki, identity, server, cluster)

    @property
    def _lock(self) -> Path:
        return self._layout.state / "cluster.lock"

    def _locked(self, report: Callable[[str], None]) -> AbstractContextManager[None]:
        return locked(
            self._lock, lambda: report("waiting for another run that works on the cluster")
        )
