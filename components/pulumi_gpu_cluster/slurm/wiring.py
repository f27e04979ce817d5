"""Slurm in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pydantic import SecretStr

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.composition import Composition
from pulumi_gpu_cluster.network.resources import rdma_resource
from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.slurm.accounts import account_of
from pulumi_gpu_cluster.slurm.args import SlurmArgs


def slurm(
    cluster: Composition,
    certificates: Sequence[pulumi.Resource],
    after: Sequence[pulumi.Resource],
) -> list[parts.SlurmCluster]:
    """Slurm with its operators; none in a cluster without it.

    Args:
        cluster: The cluster.
        certificates: cert-manager, which the operator's webhooks need.
        after: What its nodes need: the pools, and the GPU Operator.
    """
    site, args = cluster.site, cluster.site.slurm
    if args is None:
        return []
    operator = parts.SlurmOperator(
        cluster.named("slurm-operator"),
        namespace=args.operator_namespace,
        charts=site.charts,
        delete_crds=site.gives_up_crds,
        opts=cluster.inside(certificates),
    )
    database = parts.MariadbOperator(
        cluster.named("mariadb-operator"),
        namespace=args.database.operator_namespace,
        charts=site.charts,
        delete_crds=site.gives_up_crds,
        opts=cluster.inside(),
    )
    pools = slurm_pools(site.node_pools)
    return [
        parts.SlurmCluster(
            cluster.named("slurm"),
            args,
            cluster_name=site.name,
            pools=pools,
            accounts=[
                account_of(tenant, site.node_pools, args.members.get(tenant.name, ()))
                for tenant in site.tenants
            ],
            secrets=_secrets(args),
            # slurmd is privileged, so of the network it needs the adapters and no capability.
            devices={pool.name: {name: "1"} for pool in pools if (name := rdma_resource(pool))},
            expendable=site.gives_up_data,
            opts=cluster.inside([operator, database, *after]),
        )
    ]


def _secrets(args: SlurmArgs) -> parts.SlurmSecrets:
    """The section's secrets; a rule has seen to it that those it cannot do without are there."""
    sssd = args.login.sssd_conf if args.login is not None else None
    return parts.SlurmSecrets(
        slurm_key=_revealed(args.slurm_key),
        jwt_key=_revealed(args.jwt_key),
        database_password=_revealed(args.database.password),
        database_root_password=_revealed(args.database.root_password),
        sssd_conf=None if sssd is None else _revealed(sssd),
    )


def _revealed(secret: SecretStr | None) -> pulumi.Output[str]:
    return pulumi.Output.secret("" if secret is None else secret.get_secret_value())
