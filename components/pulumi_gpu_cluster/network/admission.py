"""Keeps tenants' pods to the networks that are there for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pulumi_gpu_cluster.network.resources import FabricPool
from pulumi_gpu_cluster.objects.admission import AdmissionRule
from pulumi_gpu_cluster.tenancy.labels import TENANT_LABEL

# source: k8snetworkplumbingwg/multus-cni docs/configuration.md, and the NetworkAttachmentDefinition
# specification: the short form, namespace/name@interface with commas between
_MORE: Final = "k8s.v1.cni.cncf.io/networks"
_INSTEAD: Final = "v1.multus-cni.io/default-network"
_NAME: Final = "[a-z0-9][a-z0-9.-]*(@[a-zA-Z0-9._-]+)?"


def own_networks(fabrics: Iterable[FabricPool], namespace: str) -> AdmissionRule:
    """In a tenant's namespace pods have the cluster's network, and beside it only what is theirs.

    Multus gives a pod whatever its annotations name: in place of the cluster's network, which
    NetworkPolicies hold; as often as they name it, until no address is left for others; and in
    the form of JSON with an address of its own choice, which may be somebody else's.

    Args:
        fabrics: The pools with addresses on their fabric.
        namespace: Where their networks are.
    """
    most = max(max(len(one.args.interfaces), 1) if not one.shared else 1 for one in fabrics)
    more, instead = _annotation("object", _MORE), _annotation("object", _INSTEAD)
    unchanged = " && ".join(
        f"{_annotation('object', key)} == {_annotation('oldObject', key)}"
        for key in (_MORE, _INSTEAD)
    )
    theirs = f"'^(({namespace}|' + request.namespace + ')/)?{_NAME}$'"
    return AdmissionRule(
        name="gpu-cluster-own-networks",
        resources=(("", "pods"),),
        operations=("CREATE", "UPDATE"),
        namespace_label=TENANT_LABEL,
        requires=(
            f"(request.operation == 'UPDATE' && {unchanged})"
            f" || ({instead} == '' && ({more} == ''"
            f" || (size({more}.split(',')) <= {most}"
            f" && {more}.split(',').all(one, one.trim().matches({theirs})))))"
        ),
        message=(
            f"'a pod here names at most {most} of the networks of {namespace} and of its own "
            f"namespace, as {namespace}/POOL, and none in place of the cluster network: {_MORE}'"
        ),
        on_error="Fail",
    )


def _annotation(of: str, key: str) -> str:
    return f"{of}.metadata.?annotations[?'{key}'].orValue('')"
