"""Calico, by its operator: the pods' network, with NetworkPolicies that hold."""

from __future__ import annotations

from typing import Any, Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import TIGERA_OPERATOR
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.network.args import CniArgs
from pulumi_gpu_cluster.network.namespaces import TIGERA_NAMESPACE
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.releases import platform_release

CALICO_TYPE: Final = "gpu-cluster:network:Calico"
"""Type token of the component; lives in users' state, so it never changes."""


class Calico(KubernetesComponent):
    """Calico on every node.

    The chart makes the operator's Installation out of its values, so there is no custom resource
    of ours beside it that could differ from it.
    """

    def __init__(
        self,
        name: str,
        args: CniArgs,
        *,
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Calico.

        Args:
            name: Name of the component.
            args: The site file's section, with `pod_cidr`.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        props = {"version": TIGERA_OPERATOR.version, "namespace": TIGERA_NAMESPACE}
        super().__init__(CALICO_TYPE, name, props, opts)
        platform_release(
            self,
            name,
            TIGERA_OPERATOR,
            source=charts,
            namespace=TIGERA_NAMESPACE,
            values=calico_values(args),
            delete_crds=False,
        )
        self.register_outputs(props)


def calico_values(args: CniArgs) -> dict[str, Any]:
    """What differs from the chart's own values. The agents tolerate every taint already.

    Args:
        args: The site file's section, with `pod_cidr`.
    """
    pool = {
        "cidr": args.pod_cidr,
        # Packets are wrapped between subnets only, and need no router that speaks BGP.
        "encapsulation": "VXLANCrossSubnet",
        "natOutgoing": "Enabled",
        "nodeSelector": "all()",
    }
    network: dict[str, Any] = {"ipPools": [pool]}
    if args.mtu is not None:
        network["mtu"] = args.mtu
    return {
        "installation": {"cni": {"type": "Calico"}, "calicoNetwork": network},
        # A page with everybody's traffic, open to whoever reaches the service.
        "goldmane": {"enabled": False},
        "whisker": {"enabled": False},
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
    }
