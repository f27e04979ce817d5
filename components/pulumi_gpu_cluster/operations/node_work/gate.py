"""The gate: what a GPU node has to show before work comes onto it, and again after a change.

Whole GPUs are diagnosed first, with MIG off; then the layout is cut and its instances counted;
then the taint goes. What was verified is kept with the boot, driver and firmware that it was
verified under. Under another boot or driver it is verified again, once the node is free: nobody's
job is disturbed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pulumi_gpu_cluster.catalog.mig import DISABLED
from pulumi_gpu_cluster.node_pools.props import OWN_LAYOUT
from pulumi_gpu_cluster.operations.api_server import NODE
from pulumi_gpu_cluster.operations.node_work.gate_job import boot_of, job_name
from pulumi_gpu_cluster.operations.node_work.gate_pod import Asking
from pulumi_gpu_cluster.operations.node_work.gate_record import (
    Record,
    is_held,
    labels_of,
    record_of,
    write_record,
)
from pulumi_gpu_cluster.operations.node_work.gate_spec import GateSpec
from pulumi_gpu_cluster.operations.node_work.hold import first_met, gpu_pods
from pulumi_gpu_cluster.operations.node_work.layout import layout_of, layout_state, set_layout
from pulumi_gpu_cluster.operations.node_work.sharing import SHARING, offers_shares
from pulumi_gpu_cluster.operations.node_work.verdict import Verdict, against, not_yet

# source: NVIDIA/k8s-device-plugin v0.20.0, GPU Feature Discovery
DRIVER_LABEL: Final = "nvidia.com/cuda.driver-version.full"

_DONE: Final = ("", "success")
# The pod of MIG Manager that knows a new layout of the site's own comes a while after the object
# that holds it, and the one before it calls what it does not know failed.
_NEWS_SECONDS: Final = 180


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it stands with a node at the end of a run.

    Attributes:
        node: Its name.
        state: `passed`, `in-service`, `failed`, or `pending`, which the next run goes on with.
        reason: Why, or what is waited for.
    """

    node: str
    state: Literal["passed", "in-service", "pending", "failed"]
    reason: str


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate of one pool.

    Attributes:
        asking: How nodes are asked.
        spec: What is wanted of them.
        config_map: ConfigMap with the script of the pods.
        evict: Whether pods that keep a node from its new layout are evicted, half the wait later.
    """

    asking: Asking
    spec: GateSpec
    config_map: str
    evict: bool = False

    def pass_through(self, name: str, *, now: bool) -> Outcome:
        """Verifies a node, as far as it needs that.

        Args:
            name: The node.
            now: Whether it is verified however it stands with it, provided that it is free.

        Raises:
            NotThereError: There is no such node.
            AccessError: The API server refuses or cannot be reached.
        """
        node = self._node(name)
        record = record_of(node)
        if record is None:
            record = self._write(name, first_met(self.asking.access, name))
        if now or (record.state == "failed" and self._may_be_mended(node, record)):
            return self._again(name)
        if record.state == "failed":
            return Outcome(name, "failed", record.reason)
        if record.state == "in-service":
            if self._wants_another_layout(node):
                return self._recut(name, record)
            set_layout(self.asking.access, name, self.spec.layout or None)
            words = f"not verified: {record.reason}"
            return self._shared(name) or Outcome(name, "in-service", words)
        if record.state == "held" and self._works_as_wanted(name, node, record):
            record = self._write(name, replace(record, state="passed", reason=""))
        if record.state == "passed":
            return self._known(name, node, record)
        return self._verify(name, record)

    def _may_be_mended(self, node: Mapping[str, Any], record: Record) -> bool:
        """Whether anything has changed since a node failed.

        MIG Manager tries a layout again when its pod starts anew, and then says something else.
        """
        if record.boot != boot_of(node):
            return True
        if record.layout:
            return record.layout != self._layout or layout_state(node) != "failed"
        # A diagnosis that failed left it whole; a layout that failed is asked for still.
        return layout_of(node) not in (DISABLED, self._layout)

    def _works_as_wanted(self, name: str, node: Mapping[str, Any], record: Record) -> bool:
        """Whether a node that waited for another layout is to keep the one that its pods use."""
        diagnosed = bool(record.driver) and record.boot == boot_of(node)
        cut = not self._wants_another_layout(node) and layout_state(node) in _DONE
        return diagnosed and cut and bool(gpu_pods(self.asking.access, name))

    def _known(self, name: str, node: Mapping[str, Any], record: Record) -> Outcome:
        """A node that was verified earlier, which holds for as long as boot and driver do."""
        driver = labels_of(node).get(DRIVER_LABEL)
        wanted = self.spec.driver
        if record.boot == boot_of(node) and driver in (None, record.driver):
            if not wanted or record.driver == wanted:
                if self._wants_another_layout(node):
                    return self._recut(name, record)
                if is_held(node):
                    self._write(name, record)
                set_layout(self.asking.access, name, self.spec.layout or None)
                return self._shared(name) or Outcome(name, "passed", _verified(record))
            if driver is not None:
                return Outcome(name, "pending", f"driver {wanted} has not come to it yet")
        return self._again(name)

    def _again(self, name: str) -> Outcome:
        """Verifies a node again that may be at work."""
        busy = gpu_pods(self.asking.access, name)
        if busy:
            more = f" and {len(busy) - 1} more" if len(busy) > 1 else ""
            return Outcome(
                name, "pending", f"verified again once {busy[0]}{more} has ended; it works on"
            )
        node = self._node(name)
        for mode in ("diag", "slices"):
            self.asking.forget(job_name(node, mode, self.spec))
        return self._verify(name, self._write(name, Record("held", "is to be verified again")))

    def _wants_another_layout(self, node: Mapping[str, Any]) -> bool:
        return layout_of(node) != self._layout

    @property
    def _layout(self) -> str:
        return self.spec.layout or DISABLED

    def _recut(self, name: str, record: Record) -> Outcome:
        """Gives a node another layout that may be at work: first no more work, then none at all.

        MIG Manager takes no pods away, and GPUs in use cannot be cut. What a diagnosis said holds
        on; a node that none has looked at is looked at now that it is free.
        """
        reason = f"gets MIG layout {self._layout}"
        return self._verify(name, self._write(name, replace(record, state="held", reason=reason)))

    def _verify(self, name: str, record: Record) -> Outcome:
        """Looks at a node and counts what it has, on which no GPU may be shared meanwhile."""
        if busy := self.asking.still_busy(name, evict=self.evict):
            cut = self._wants_another_layout(self._node(name))
            what = f"MIG layout {self._layout}" if cut else "its verification"
            reason = f"{what} waits for {busy} to end; no new work comes to the node"
            return self._pending(name, reason, record)
        SHARING.say(self.asking.access, name, self.spec.unshared or None)
        if record.boot != boot_of(self._node(name)):
            found = self._diagnose(name)
            if isinstance(found, Outcome):
                return found
            record = found
        outcome = self._cut(name, record)
        if outcome is not None:
            return outcome
        SHARING.say(self.asking.access, name, self.spec.sharing or None)
        # An MPS server may not start, and no share is offered without it.
        if self.spec.sharing and not self.asking.wait(lambda: offers_shares(self._node(name))):
            reason = f"sharing {self.spec.sharing}: the device plugin offers no shares yet"
            return self._pending(name, reason, record)
        passed = self._write(name, replace(record, state="passed", reason="", at=_now()))
        return Outcome(name, "passed", _verified(passed))

    def _diagnose(self, name: str) -> Record | Outcome:
        """Diagnoses whole GPUs; for that none may be cut."""
        boot = boot_of(self._node(name))
        if self.spec.is_cut or layout_of(self._node(name)) != DISABLED:
            if layout_of(self._node(name)) != DISABLED:
                set_layout(self.asking.access, name, DISABLED)
            if not self.asking.wait(lambda: layout_state(self._node(name)) in _DONE):
                return self._pending(name, self._layout_says(name, DISABLED))
        verdict = self.asking.ask(name, "diag", self.spec, self.config_map)
        if isinstance(verdict, str):
            return self._pending(name, verdict)
        if early := not_yet(verdict, self.spec):
            self.asking.forget(job_name(self._node(name), "diag", self.spec))
            return self._pending(name, early)
        if fault := against(verdict, self.spec):
            return self._failed(name, fault, boot)
        return self._write(name, _diagnosed(verdict, boot))

    def _cut(self, name: str, record: Record) -> Outcome | None:
        """Cuts a diagnosed node's GPUs as the pool says, and counts what came of it."""
        layout = self._layout
        if self.spec.is_cut or layout_of(self._node(name)) != layout:
            set_layout(self.asking.access, name, layout)
            patience = self.asking.access.now() + (
                _NEWS_SECONDS if layout.startswith(OWN_LAYOUT) else 0
            )
            self.asking.wait(lambda: self._answered(name, patience))
            state = layout_state(self._node(name))
            if state != "success":
                says = self._layout_says(name, layout)
                if state == "failed":
                    reason = f"{says}; the node takes no work"
                    return self._failed(name, reason, record.boot, layout)
                return self._pending(name, says, record)
        set_layout(self.asking.access, name, self.spec.layout or None)
        return self._count(name, record) if self.spec.slices else None

    def _answered(self, name: str, patience: float) -> bool:
        """Whether MIG Manager is done, for better or worse; a failure counts after a while only."""
        state = layout_state(self._node(name))
        return state == "success" or (state == "failed" and self.asking.access.now() >= patience)

    def _shared(self, name: str) -> Outcome | None:
        """Lets pods share a node's GPUs as its pool says, once none has one for itself."""
        wanted = self.spec.sharing or None
        if SHARING.differs(self._node(name), wanted):
            busy = gpu_pods(self.asking.access, name)
            if busy:
                reason = f"its GPUs are shared otherwise once {busy[0]} has ended; it works on"
                return Outcome(name, "pending", reason)
        SHARING.say(self.asking.access, name, wanted)
        return None

    def _count(self, name: str, record: Record) -> Outcome | None:
        verdict = self.asking.ask(name, "slices", self.spec, self.config_map)
        if isinstance(verdict, str):
            return self._pending(name, verdict, record)
        fault = against(verdict, self.spec)
        return self._failed(name, fault, record.boot) if fault else None

    def _pending(self, name: str, reason: str, so_far: Record | None = None) -> Outcome:
        self._write(name, replace(so_far or Record("held"), state="held", reason=reason))
        return Outcome(name, "pending", reason)

    def _failed(self, name: str, reason: str, boot: str, layout: str = "") -> Outcome:
        self._write(name, Record("failed", reason, boot=boot, at=_now(), layout=layout))
        return Outcome(name, "failed", reason)

    def _layout_says(self, name: str, layout: str) -> str:
        return f"MIG layout {layout}: {layout_state(self._node(name)) or 'MIG Manager is silent'}"

    def _node(self, name: str) -> dict[str, Any]:
        access = self.asking.access
        return access.persist(lambda: access.get(NODE, name), f"read node {name}")

    def _write(self, name: str, record: Record) -> Record:
        write_record(self.asking.access, name, lambda _: record)
        return record


def _diagnosed(verdict: Verdict, boot: str) -> Record:
    return Record(
        "held",
        "its GPUs are diagnosed, its layout follows",
        boot=boot,
        driver=verdict.driver,
        firmware=verdict.firmware,
        at=_now(),
    )


def _verified(record: Record) -> str:
    return f"driver {record.driver}, firmware {record.firmware}, {record.at}"


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
