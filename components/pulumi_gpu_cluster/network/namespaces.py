"""Namespaces of the network that nobody can move."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.network.args import CniArgs

CILIUM_NAMESPACE: Final = "cilium"
"""Namespace of Cilium's release."""

# source: projectcalico/calico v3.32.1 charts/tigera-operator: the operator looks for its Secrets
# in a namespace of this name
TIGERA_NAMESPACE: Final = "tigera-operator"
"""Namespace of Calico's operator."""

# sources: cilium 1.20.0 values.yaml, tls.secretsNamespace and the like; tigera/operator v1.42
_MADE_BY_THEM: Final = {
    "existing": (),
    "cilium": (CILIUM_NAMESPACE, "cilium-secrets"),
    "calico": (TIGERA_NAMESPACE, "calico-system", "calico-apiserver"),
}


def cni_namespaces(cni: CniArgs) -> tuple[str, ...]:
    """The namespaces that a CNI takes for itself; of one that the cluster brings, none we know."""
    return _MADE_BY_THEM[cni.kind]
