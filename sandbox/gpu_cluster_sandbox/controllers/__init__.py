"""Operators' real controllers: each runs as a process where its Deployment's pod would run."""

from __future__ import annotations

from gpu_cluster_sandbox.controllers.catalogue import CONTROLLERS, Controller

__all__ = ["CONTROLLERS", "Controller"]
