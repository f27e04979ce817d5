"""A real Kubernetes control plane on loopback, with nodes and pods that kwok plays."""

from gpu_cluster_sandbox.cluster.chosen import choose, chosen
from gpu_cluster_sandbox.cluster.cluster import Cluster
from gpu_cluster_sandbox.cluster.errors import ClusterError
from gpu_cluster_sandbox.cluster.parts import PART_NAMES
from gpu_cluster_sandbox.engine.pins import KUBERNETES as KUBERNETES_VERSION

__all__ = ["KUBERNETES_VERSION", "PART_NAMES", "Cluster", "ClusterError", "choose", "chosen"]
