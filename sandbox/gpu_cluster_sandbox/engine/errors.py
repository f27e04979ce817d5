"""The one error that setting the engine up ends with."""

from __future__ import annotations

from gpu_cluster_sandbox.errors import SandboxError


class EngineError(SandboxError):
    """The engine cannot be had; the message names the program and the reason."""
