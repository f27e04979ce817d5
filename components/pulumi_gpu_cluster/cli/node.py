"""`gpu-cluster node`: lives with the work it does."""

from pulumi_gpu_cluster.operations.node_work.command import node as command

__all__ = ["command"]
