"""The one error that work on the embedded cluster ends with."""

from __future__ import annotations

from gpu_cluster_sandbox.errors import SandboxError


class ClusterError(SandboxError):
    """The cluster cannot be brought where it should be; the message names the part and why."""
