"""cert-manager: certificates for the webhooks of operators that make none themselves."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import CERT_MANAGER
from pulumi_gpu_cluster.certificates.args import CertificatesArgs
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

CERT_MANAGER_TYPE: Final = "gpu-cluster:certificates:CertManager"
"""Type token of the component; lives in users' state, so it never changes."""

_REPLICAS: Final = 2


class CertManager(KubernetesComponent):
    """cert-manager, with CRDs that outlive it."""

    def __init__(
        self,
        name: str,
        args: CertificatesArgs,
        *,
        charts: ChartsArgs | None = None,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs cert-manager.

        Args:
            name: Name of the component.
            args: The site file's section.
            charts: Where charts come from; by default upstream.
            delete_crds: Whether its CRDs, and with them every certificate, go with it.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": CERT_MANAGER.version, "namespace": args.namespace}
        super().__init__(CERT_MANAGER_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            CERT_MANAGER,
            source=charts,
            namespace=args.namespace,
            values=cert_manager_values(args),
            delete_crds=delete_crds,
        )
        self.register_outputs(props)


def cert_manager_values(args: CertificatesArgs) -> dict[str, Any]:
    """What differs from the chart's own values.

    While its webhook is away no Certificate or Issuer can be written, so there are two of it.
    """
    budget = {"podDisruptionBudget": {"enabled": True, "minAvailable": 1}}
    return {
        # The chart keeps its leases in kube-system, where no part of a site has a business.
        "global": {"leaderElection": {"namespace": args.namespace}},
        "replicaCount": _REPLICAS,
        **budget,
        "webhook": {"replicaCount": _REPLICAS, **budget},
        "cainjector": {"replicaCount": _REPLICAS, **budget},
    }
