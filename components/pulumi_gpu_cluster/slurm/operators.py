"""The operators that run Slurm and its database."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import MARIADB_OPERATOR, SLURM_OPERATOR
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

SLURM_OPERATOR_TYPE: Final = "gpu-cluster:slurm:SlurmOperator"
MARIADB_OPERATOR_TYPE: Final = "gpu-cluster:slurm:MariadbOperator"
"""Type tokens of the components; they live in users' state, so they never change."""

_REPLICAS: Final = 2


class SlurmOperator(KubernetesComponent):
    """The Slinky operator, with CRDs that outlive it."""

    def __init__(
        self,
        name: str,
        *,
        namespace: str = "slinky",
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the operator. Its webhooks need cert-manager.

        Args:
            name: Name of the component.
            namespace: Its namespace.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether its CRDs, and with them every Slurm cluster, go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": SLURM_OPERATOR.version, "namespace": namespace}
        super().__init__(SLURM_OPERATOR_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            SLURM_OPERATOR,
            source=charts,
            namespace=namespace,
            values=slurm_operator_values(),
            delete_crds=delete_crds,
        )
        self.register_outputs(props)


class MariadbOperator(KubernetesComponent):
    """The MariaDB operator, with CRDs that outlive it."""

    def __init__(
        self,
        name: str,
        *,
        namespace: str = "mariadb-system",
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the operator, which makes the certificates of its webhooks itself.

        Args:
            name: Name of the component.
            namespace: Its namespace.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether its CRDs, and with them every database, go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": MARIADB_OPERATOR.version, "namespace": namespace}
        super().__init__(MARIADB_OPERATOR_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            MARIADB_OPERATOR,
            source=charts,
            namespace=namespace,
            values=mariadb_operator_values(),
            delete_crds=delete_crds,
        )
        self.register_outputs(props)


def slurm_operator_values() -> dict[str, Any]:
    """What differs from the chart's own values: two of each, so that one may be drained."""
    part = {"replicas": _REPLICAS, "pdb": {"enabled": True}}
    return {"operator": part, "webhook": part}


def mariadb_operator_values() -> dict[str, Any]:
    """What differs from the chart's own values: two of each, so that one may be drained."""
    part = {"ha": {"enabled": True, "replicas": _REPLICAS}, "pdb": {"enabled": True}}
    return {**part, "webhook": part, "certController": part}
