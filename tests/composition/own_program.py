"""A program as somebody writes it who has a cluster already and wants parts of this package.

What comes from another resource is an Output, as in life: nobody knows it while the program runs.
"""

from __future__ import annotations

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.core.v1 import ConfigMap, Secret

from pulumi_gpu_cluster import (
    ClusterAccess,
    JobSet,
    Kueue,
    KueueQueue,
    NodePool,
    NodePoolArgs,
    SchedulerArgs,
    Tenant,
    TenantArgs,
    Trainer,
)
from pulumi_gpu_cluster.tenancy.shares import pool_shares


def main() -> None:
    """Makes two pools' labels, a scheduler and a tenant, in a cluster of somebody else's."""
    ambient = kubernetes.Provider("ambient")
    known = Secret(
        "cluster",
        string_data={"kubeconfig": "apiVersion: v1\nkind: Config\nclusters: []\n"},
        opts=pulumi.ResourceOptions(provider=ambient),
    )
    limits = ConfigMap(
        "limits",
        data={"gpus": "8", "pods": "50"},
        opts=pulumi.ResourceOptions(provider=ambient),
    )
    content: pulumi.Output[str] = known.string_data.apply(lambda data: data["kubeconfig"])
    kubeconfig: pulumi.Output[str] = pulumi.Output.secret(content)
    cluster = kubernetes.Provider("theirs", kubeconfig=kubeconfig, cluster_identifier="theirs")

    def inside(*after: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(provider=cluster, depends_on=list(after))

    pool = NodePoolArgs(
        name="train",
        nodes="gpu[1-2]",
        cpus=192,
        memory="1800Gi",
        gpu={"model": "H100-SXM5-80GB", "count": 8},  # pyright: ignore[reportArgumentType]
        driver="580.173.02",  # pyright: ignore[reportArgumentType]
        taints=({"key": "nvidia.com/gpu"},),  # pyright: ignore[reportArgumentType]
    )
    team = TenantArgs(
        name="ml",
        group="ml",
        quota={"train": {"gpu": 8}},  # pyright: ignore[reportArgumentType]
    )
    nodes = NodePool("train", pool, access=ClusterAccess(kubeconfig=kubeconfig), opts=inside())
    jobset = JobSet("jobset", opts=inside())
    trainer = Trainer("trainer", scheduler="kueue", opts=inside(jobset))
    held = pool_shares(team, [pool])
    kueue = Kueue(
        "kueue",
        SchedulerArgs(),
        cohort_name="theirs",
        pools=[pool],
        promised=[held],
        opts=inside(nodes, trainer),
    )
    home = Tenant(
        "ml",
        team,
        ceilings={
            "requests.nvidia.com/gpu": limits.data.apply(lambda data: data["gpus"]),
            "pods": limits.data.apply(lambda data: data["pods"]),
        },
        opts=inside(),
    )
    KueueQueue(
        "ml-queue", team, cohort_name="theirs", pools=[pool], shares=held, opts=inside(kueue, home)
    )
