"""`gpu-cluster recover`: lives with the work it does."""

from pulumi_gpu_cluster.operations.recover.command import command

__all__ = ["command"]
