"""The programs the sandbox runs on: found on the machine, or built from pinned Go modules."""

from gpu_cluster_sandbox.engine.ensure import Mode, ensure_engine
from gpu_cluster_sandbox.engine.errors import EngineError
from gpu_cluster_sandbox.engine.selection import Engine

__all__ = ["Engine", "EngineError", "Mode", "ensure_engine"]
