"""The embedded cluster: started, mended, stopped and removed, each as often as one likes."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lightkube import Client, KubeConfig

from gpu_cluster_sandbox.cluster.chosen import chosen
from gpu_cluster_sandbox.cluster.controllers import prepare_controllers
from gpu_cluster_sandbox.cluster.errors import ClusterError
from gpu_cluster_sandbox.cluster.files import write_private
from gpu_cluster_sandbox.cluster.health import trouble
from gpu_cluster_sandbox.cluster.kubeconfig import write_kubeconfig
from gpu_cluster_sandbox.cluster.kwok import free_nodes, prepare_kwok
from gpu_cluster_sandbox.cluster.layout import Layout
from gpu_cluster_sandbox.cluster.parts import PART_NAMES, SERVICES, Part, describe_parts, egress
from gpu_cluster_sandbox.cluster.ports import API, LOOPBACK, load_ports, settle_taken
from gpu_cluster_sandbox.cluster.process import Process
from gpu_cluster_sandbox.engine.cache import locked

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from gpu_cluster_sandbox.engine import Engine

_POLL_SECONDS: Final = 0.1
_RECOVERY_SECONDS: Final = 10.0
_PATIENCE_SECONDS: Final = 30.0
_GRACE_SECONDS: Final = 10.0
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
        state_dir: The cluster's folder; other things may lie in it too. Which operators'
            controllers it runs is kept there.
        engine: The programs it runs; only `start` needs them.
    """

    def __init__(self, state_dir: Path, engine: Engine | None = None) -> None:
        self._layout = Layout(state_dir.absolute())
        self._engine = engine
        self._controllers = chosen(self._layout.state)

    @property
    def part_names(self) -> tuple[str, ...]:
        """All its parts, in the order in which they start."""
        asked = [SERVICES] if any(one.webhooks for one in self._controllers) else []
        return (*PART_NAMES, *asked, *(one.program.name for one in self._controllers))

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
            for part in parts:
                self._process(part.name).adopt()
            ailing = [part.name for part in parts if not self._is_well(part)]
            if not ailing:
                self._prepare()
                report(f"the cluster runs at {self._address(ports)}")
                return
            report(f"starting {', '.join(ailing)} ...")
            absent = [part for part in parts if not self._process(part.name).runs(part.command)]
            for part in absent:
                self._process(part.name).stop(_GRACE_SECONDS)
            names = [part.name for part in absent]
            listeners = [*names, "etcd-peer"] if "etcd" in names else names
            listeners += [
                port
                for one in self._controllers
                if one.program.name in names
                for port in one.ports[1:]
            ]
            ports = settle_taken(self._layout.ports, ports, listeners)
            self._write_kubeconfigs(ports)
            self._start_in_order(self._parts(ports))
        report(
            f"the cluster runs at {self._address(ports)} ({time.monotonic() - begun:.1f} s); "
            f"kubeconfig: {self.kubeconfig}"
        )

    def stop(self, report: Callable[[str], None]) -> None:
        """End every part; the data, the ports and the kubeconfig stay for the next start."""
        if not self._layout.state.is_dir():
            return
        with self._locked(report):
            for name in reversed(self.part_names):
                process = self._process(name)
                process.adopt()
                if process.pid() is not None:
                    report(f"stopping {name}")
                process.stop(_GRACE_SECONDS)
            shutil.rmtree(self._layout.run, ignore_errors=True)

    def destroy(self, report: Callable[[str], None]) -> None:
        """Stop it and remove all that it kept: objects, keys, kubeconfig, ports and logs."""
        self.stop(report)
        layout = self._layout
        for folder in (layout.data, layout.pki.folder, layout.log("").parent):
            shutil.rmtree(folder, ignore_errors=True)
        for path in (layout.kubeconfig, layout.ports):
            path.unlink(missing_ok=True)

    def status(self) -> list[PartStatus]:
        """Every part, in the order in which they start."""
        layout = self._layout
        if not layout.ports.exists():
            return [PartStatus(name, None, None, "never started") for name in self.part_names]
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
        if part not in self.part_names:
            raise ClusterError(
                f"the cluster has no part {part!r}", f"choose from {', '.join(self.part_names)}"
            )
        return self._layout.log(part)

    def _start_in_order(self, parts: tuple[Part, ...]) -> None:
        for part in parts:
            process = self._process(part.name)
            if part.name == "kwok":
                self._prepare()
            if not process.runs(part.command):
                process.stop(_GRACE_SECONDS)
                if part.name == "kwok":
                    free_nodes(self.client())
                process.start(part.command)
            # The first two carry the others, which then come up side by side.
            if part.name in {"etcd", API}:
                self._settle(part)
        for part in parts:
            self._settle(part)

    def _settle(self, part: Part) -> None:
        """Wait until the part is well; one that hangs is started anew, once."""
        if not self._trouble_after(part, _RECOVERY_SECONDS):
            return
        process = self._process(part.name)
        if process.pid() is not None and process.age() > _PATIENCE_SECONDS:
            process.stop(_GRACE_SECONDS)
            process.start(part.command)
        if why := self._trouble_after(part, _PATIENCE_SECONDS):
            log = self._layout.log(part.name)
            lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
            shown = "\n".join(f"  {line}" for line in lines)
            what = "ended" if process.pid() is None else f"does not become well ({why})"
            raise ClusterError(f"{part.name} {what}:\n{shown}", f"read the whole log, {log}")

    def _trouble_after(self, part: Part, patience: float) -> str:
        deadline = time.monotonic() + patience
        while why := trouble(part, self._layout.pki):
            if self._process(part.name).pid() is None or time.monotonic() > deadline:
                return why
            time.sleep(_POLL_SECONDS)
        return ""

    def _is_well(self, part: Part) -> bool:
        return self._process(part.name).runs(part.command) and not trouble(part, self._layout.pki)

    def _parts(self, ports: dict[str, int]) -> tuple[Part, ...]:
        # Without an engine only what a part is asked for counts, not how it is started.
        programs = self._engine.program if self._engine else Path
        return describe_parts(self._layout, programs, ports, self._controllers)

    def _prepare(self) -> None:
        client = self.client()
        prepare_kwok(client)
        if self._controllers:
            prepare_controllers(client, self._controllers)

    def _process(self, name: str) -> Process:
        layout = self._layout
        return Process(name, layout.pid_file(name), layout.log(name))

    def _address(self, ports: dict[str, int]) -> str:
        return f"https://{LOOPBACK}:{ports[API]}"

    def _write_kubeconfigs(self, ports: dict[str, int]) -> None:
        layout = self._layout
        server = self._address(ports)
        cluster = f"sandbox-{layout.state.name}"
        write_kubeconfig(layout.kubeconfig, layout.pki, "admin", server, cluster)
        layout.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        controllers = {one.program.name: "controllers" for one in self._controllers}
        if SERVICES in self.part_names:
            controllers[SERVICES] = "controllers"
            write_private(layout.egress, json.dumps(egress(layout, ports)).encode())
        for part, identity in {**_IDENTITIES, **controllers}.items():
            path = layout.part_kubeconfig(part)
            write_kubeconfig(path, layout.pki, identity, server, cluster)

    def _locked(self, report: Callable[[str], None]) -> AbstractContextManager[None]:
        return locked(
            self._layout.state / "cluster.lock",
            lambda: report("waiting for another run that works on the cluster"),
        )
