"""Jobs that tenants submit, and what has become of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from attack import manifest, pod
from lightkube import Client, generic_resource
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Pod

GPU: Final = "nvidia.com/gpu"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_LONG: Final = {"sandbox.gpu-cluster.io/runs-for": "600s"}
_JOB: Final[Any] = Job

# lightkube types no making of generic resources.
Workload: Final[Any] = cast("Any", generic_resource).create_namespaced_resource(
    "kueue.x-k8s.io", "v1beta2", "Workload", "workloads"
)


def holds(thing: Any, condition: str) -> bool:
    """Whether one of Kueue's objects is in a condition."""
    status = cast("dict[str, list[dict[str, str]]]", thing.status or {})
    return any(
        one["type"] == condition and one["status"] == "True" for one in status.get("conditions", [])
    )


@dataclass(frozen=True)
class Submitted:
    """A job of a tenant.

    Attributes:
        tenant: Whose.
        name: Its name.
    """

    client: Client
    tenant: str
    name: str

    def starts(self) -> bool:
        """Whether it is let go, with every pod on a node."""
        job = self.client.get(Job, self.name, namespace=self.tenant)
        assert job.spec is not None
        placed = [one for one in self.pods() if one.spec and one.spec.nodeName]
        return not job.spec.suspend and len(placed) == job.spec.parallelism

    def waits(self) -> bool:
        """Whether its queue holds it back, without any pod."""
        job = self.client.get(Job, self.name, namespace=self.tenant)
        return bool(job.spec and job.spec.suspend) and not self.pods()

    def pods(self) -> list[Pod]:
        """Its pods that have not ended."""
        found = self.client.list(Pod, namespace=self.tenant, labels={"job-name": self.name})
        return [one for one in found if one.metadata and not one.metadata.deletionTimestamp]

    def is_preempted(self) -> bool:
        """Whether it had to give its place to another."""
        for one in list[Any](self.client.list(Workload, namespace=self.tenant)):
            owners = cast("list[Any]", one.metadata.ownerReferences or [])
            if any(owner.name == self.name for owner in owners):
                return holds(one, "Preempted")
        return False


@dataclass(frozen=True)
class Submitter:
    """Somebody of a tenant.

    Attributes:
        tenant: Whose namespace and queue it is.
    """

    client: Client
    tenant: str

    def submit(
        self, name: str, *, pods: int, devices: Mapping[str, int], queue: str = "default"
    ) -> Submitted:
        """Submits a job that runs for long.

        Args:
            name: Its name.
            pods: How many run at once.
            devices: What each asks for.
            queue: Its LocalQueue; none where empty.
        """
        amounts = {"cpu": "4", "memory": "16Gi", **{key: str(n) for key, n in devices.items()}}
        template = pod(
            container={"resources": {"requests": amounts, "limits": amounts}},
            restartPolicy="Never",
            tolerations=[{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}],
        )
        spec = {
            "parallelism": pods,
            "completions": pods,
            "template": {"metadata": {"annotations": _LONG}, "spec": template["spec"]},
        }
        body = manifest("batch/v1", "Job", name, spec=spec)
        if queue:
            body["metadata"]["labels"] = {_QUEUE: queue}
        self.client.create(_JOB.from_dict(body), namespace=self.tenant)
        return Submitted(self.client, self.tenant, name)
