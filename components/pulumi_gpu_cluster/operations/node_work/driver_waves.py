"""Leads a pool's nodes to another driver: canaries, then wave after wave.

The NVIDIADriver holds one version for the pool, so every node is held back before that version
changes, and each wave lets its nodes go; cordoning, waiting for jobs, replacing the driver pod and
trying the node out is the operator's. Where it stands is on the nodes, so that any later run goes
on from there. A failed node stops all that comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pulumi_gpu_cluster.operations.api_server import ApiServer, Kind, NotThereError
from pulumi_gpu_cluster.operations.node_work.driver_record import (
    STATE_LABEL,
    DriverRecord,
    write_driver_record,
)
from pulumi_gpu_cluster.operations.node_work.driver_sight import (
    COMPONENT,
    FAILED,
    REQUIRED,
    Sight,
    look_at,
    version_of_pod,
)
from pulumi_gpu_cluster.operations.node_work.driver_spec import DriverSpec, in_order
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.hold import gpu_pods
from pulumi_gpu_cluster.wording import listed

_DAEMON_SET: Final = Kind("apps", "v1", "DaemonSet", "daemonsets")
_NVIDIA_DRIVER: Final = Kind(
    "nvidia.com", "v1alpha1", "NVIDIADriver", "nvidiadrivers", namespaced=False
)


@dataclass(frozen=True, slots=True)
class PoolOutcome:
    """How it stands with a pool's drivers at the end of a run.

    Attributes:
        pool: Its name.
        state: `done`, `failed`, or `pending`, which the next run goes on with.
        reason: Why, or what is waited for.
    """

    pool: str
    state: Literal["done", "pending", "failed"]
    reason: str


def hold_drivers(access: ApiServer, spec: DriverSpec) -> list[str]:
    """Holds every node of a pool at its driver that has another one than is wanted.

    It only ever holds: the pool's NVIDIADriver may still name the version that we come from. Nodes
    without a driver get the wanted one at once, there is nothing to take from them.

    Returns:
        Names of the nodes that are held now.
    """
    held: list[str] = []
    for sight in look_at(access, spec.pool, spec.namespace):
        known, running = sight.record, sight.running
        if running == spec.version or sight.is_kept_by_others or not (running or known):
            continue
        if known is None or known.version != spec.version:
            devices = known.devices if known is not None else sight.devices
            record = DriverRecord("held", spec.version, running, devices)
            write_driver_record(access, sight.node, record)
            held.append(sight.name)
        elif known.state == "held":
            held.append(sight.name)
    return in_order(held)


def let_drivers_go(access: ApiServer, pool: str, namespace: str) -> None:
    """Takes every record, and every hold of ours, from a pool's nodes."""
    for sight in look_at(access, pool, namespace):
        if sight.record is not None:
            write_driver_record(access, sight.node, None)


@dataclass(frozen=True, slots=True)
class DriverWaves:
    """The waves of one pool.

    Attributes:
        asking: The cluster, and until when this run waits.
        spec: What is wanted.
    """

    asking: Asking
    spec: DriverSpec

    def go_on(self) -> PoolOutcome:
        """Goes on from where the nodes are, until all are done, one fails or the time is over.

        Raises:
            AccessError: The API server refuses or cannot be reached.
        """
        ended: list[PoolOutcome] = []

        def is_over() -> bool:
            outcome = self._step()
            if outcome is not None:
                ended.append(outcome)
            return outcome is not None

        if self.asking.wait(is_over):
            return ended[0]
        return self._out_of_time()

    def _step(self) -> PoolOutcome | None:
        """Writes down what has happened, and begins what may begin.

        Returns:
            The outcome, where nothing is left to wait for.
        """
        everyone = self._look()
        sights = [one for one in everyone if one.record is not None]
        if not sights:
            return self._done()
        if not self._is_taken_over():
            return None
        left = [sight for sight in sights if not self._has_arrived(sight)]
        under_way = [sight for sight in left if not _is_waiting(sight)]
        broken = [sight for sight in under_way if sight.trouble(self.spec)]
        if broken:
            return self._failed(broken, under_way, left)
        if not under_way and left:
            self._begin(left, len(everyone))
        return None if left else self._step_again()

    def _step_again(self) -> PoolOutcome | None:
        """What was read is written by now; only reading it again says that all are done."""
        return None if any(one.record for one in self._look()) else self._done()

    def _has_arrived(self, sight: Sight) -> bool:
        """Whether a node is done, which is written on it."""
        record = sight.record
        if record is None:
            return True
        has_it = sight.running == self.spec.version
        if has_it and record.before == self.spec.version and not sight.has_begun:
            # It has had the version all the time. A node that the operator counts among those to
            # come would lose its pods for nothing; with no label it looks again.
            stale = {STATE_LABEL: None} if sight.state == REQUIRED else {}
            write_driver_record(self._access, sight.node, None, stale)
            return True
        if has_it and record.state == "held":
            # Its pod was replaced before its time, by a reboot or by hand.
            write_driver_record(self._access, sight.node, self._upgrading(record))
            return False
        if record.state != "held" and not sight.lacks(self.spec):
            write_driver_record(self._access, sight.node, None)
            return True
        return False

    def _begin(self, waiting: Sequence[Sight], pool: int) -> None:
        """Lets the next wave's nodes go. Those without a working driver come with the first."""
        by_name = {sight.name: sight for sight in waiting}
        wave = self.spec.next_wave(by_name, pool)
        down = [sight.name for sight in waiting if sight.state == FAILED]
        for name in dict.fromkeys([*down, *wave]):
            sight = by_name[name]
            record = sight.record or DriverRecord("held", self.spec.version)
            # The operator leaves a failed node alone until it is told to try again.
            again = {STATE_LABEL: REQUIRED} if sight.state == FAILED else {}
            write_driver_record(self._access, sight.node, self._upgrading(record), again)

    def _failed(
        self, broken: Sequence[Sight], under_way: Sequence[Sight], left: Sequence[Sight]
    ) -> PoolOutcome:
        """Stops: what has not begun is held again, and what is wrong is written on the nodes."""
        for sight in under_way:
            record = sight.record or DriverRecord("held", self.spec.version)
            why = sight.trouble(self.spec)
            if why:
                failed = replace(record, state="failed", version=self.spec.version, reason=why)
                write_driver_record(self._access, sight.node, failed)
            elif not sight.has_begun and sight.running != self.spec.version:
                write_driver_record(self._access, sight.node, replace(record, state="held"))
        kept = [sight for sight in left if sight not in broken and not sight.has_begun]
        reasons = "; ".join(f"{sight.name}: {sight.trouble(self.spec)}" for sight in broken)
        before = {sight.record.before for sight in left if sight.record and sight.record.before}
        waits = f"; {_named(kept)} keep their driver" if kept else ""
        back = f", or write driver {listed(in_order(before), 'or')} to go back" if before else ""
        names = _named(broken)
        return PoolOutcome(
            self.spec.pool,
            "failed",
            f"driver {self.spec.version}: {reasons}{waits}; fix: mend {names} and run pulumi up "
            f"to go on{back}",
        )

    def _done(self) -> PoolOutcome:
        sights = self._look()
        others = [s.name for s in sights if s.is_kept_by_others and s.running != self.spec.version]
        said = f"driver {self.spec.version}"
        if others:
            said += f"; {listed(in_order(others))} left alone by a label of somebody else"
        return PoolOutcome(self.spec.pool, "done", said)

    def _out_of_time(self) -> PoolOutcome:
        sights = [one for one in self._look() if one.record is not None]
        under_way = [sight for sight in sights if not _is_waiting(sight)]
        if not self._is_taken_over():
            said = [f"the operator has not taken it over yet{self._what_the_operator_says()}"]
        else:
            said = [f"{sight.name}: {self._waits_for(sight)}" for sight in under_way]
        later = [sight for sight in sights if _is_waiting(sight)]
        said += [f"{_named(later)} wait for their wave"] if later else []
        reason = f"driver {self.spec.version}: {'; '.join(said) or 'the last node is written down'}"
        return PoolOutcome(self.spec.pool, "pending", reason)

    def _waits_for(self, sight: Sight) -> str:
        busy = gpu_pods(self._access, sight.name) if sight.has_begun else []
        more = f" and {len(busy) - 1} more" if len(busy) > 1 else ""
        return sight.lacks(self.spec) + (f", {busy[0]}{more} runs on it" if busy else "")

    def _is_taken_over(self) -> bool:
        """Whether the operator's DaemonSets for the pool bring the wanted version.

        Until then every label of the operator speaks of an earlier upgrade.
        """
        found = self._access.persist(
            lambda: list(self._access.list(_DAEMON_SET, COMPONENT, namespace=self.spec.namespace)),
            "list the drivers' DaemonSets",
        )
        ours = [one for one in found if _belongs_to(one, self.spec.pool)]
        return bool(ours) and all(
            version_of_pod(one["spec"]["template"]["spec"]) == self.spec.version
            and one["status"].get("observedGeneration", 0) >= one["metadata"].get("generation", 0)
            for one in ours
        )

    def _what_the_operator_says(self) -> str:
        name = self.spec.pool
        try:
            driver = self._access.persist(
                lambda: self._access.get(_NVIDIA_DRIVER, name), f"read NVIDIADriver {name}"
            )
        except NotThereError as missing:
            return f" ({missing})"
        conditions: Sequence[Mapping[str, str]] = driver.get("status", {}).get("conditions") or ()
        wrong = [one for one in conditions if one["type"] == "Error" and one["status"] == "True"]
        return "".join(f" ({one['reason']}: {one['message']})" for one in wrong)

    def _upgrading(self, record: DriverRecord) -> DriverRecord:
        return replace(record, state="upgrading", version=self.spec.version, reason="")

    def _look(self) -> list[Sight]:
        return look_at(self._access, self.spec.pool, self.spec.namespace)

    @property
    def _access(self) -> ApiServer:
        return self.asking.access


def _is_waiting(sight: Sight) -> bool:
    return sight.record is not None and sight.record.state == "held"


def _belongs_to(daemon_set: Mapping[str, Any], pool: str) -> bool:
    owners: Sequence[Mapping[str, str]] = daemon_set["metadata"].get("ownerReferences") or ()
    return any(one["kind"] == "NVIDIADriver" and one["name"] == pool for one in owners)


def _named(sights: Sequence[Sight]) -> str:
    return listed(in_order([sight.name for sight in sights]))
