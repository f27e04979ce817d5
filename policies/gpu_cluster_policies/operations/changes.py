"""What makes a change dangerous later: data without protection, identities that move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.pods import RELEASE, VALUES
from gpu_cluster_policies.reading import string
from gpu_cluster_policies.resources import UNKNOWN, Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, StackRule, Verdict
from gpu_cluster_policies.settings import TENANT_SELECTOR
from gpu_cluster_policies.stack import Stack
from gpu_cluster_policies.tenants import NAMESPACE, selected, selector_of
from pulumi_gpu_cluster.cluster_props import DATA, EXPENDABLE, GPU_CLUSTER_TYPE

_TENANT: Final = "gpu-cluster:tenancy:Tenant"
_PROVIDER: Final = "pulumi:providers:kubernetes"
_KINDS: Final = (
    "ceph.rook.io/CephBlockPool",
    "ceph.rook.io/CephCluster",
    "ceph.rook.io/CephFilesystem",
    "ceph.rook.io/CephObjectStore",
    "core/PersistentVolume",
    "core/PersistentVolumeClaim",
    "k8s.mariadb.com/MariaDB",
)


def _unprotected(stack: Stack, config: Config) -> Iterator[Verdict]:
    given_up = {one.urn for one in stack.of(GPU_CLUSTER_TYPE) if one.props.get(DATA) == EXPENDABLE}
    # A tenant that leaves is unprotected on purpose: that is the first of its two steps.
    given_up |= {one.urn for one in stack.of(_TENANT) if one.props.get("state") == "leaving"}
    selector = selector_of(config)
    for one in stack.of(*_KINDS, NAMESPACE):
        if one.protect or given_up.intersection(one.parents) or one.type.endswith("Patch"):
            continue
        if one.sort != NAMESPACE:
            yield Fault(one, "holds data and is not protected")
        elif selected(one, selector):
            yield Fault(one, "is a tenant's, with all its data, and not protected")


DATA_WITHOUT_PROTECT: Final = StackRule(
    id="data-without-protect",
    description="What holds data is protected, so that no `pulumi up` deletes it.",
    why="A renamed entry, a moved component or a slip in a condition deletes it in one run, with "
    "everything in it. Policies are not told of retain_on_delete, so protect it is.",
    mend="set protect=True among its options",
    severity=Severity.HIGH,
    tags=("operations", "data"),
    reads={
        **dict.fromkeys((*_KINDS, NAMESPACE), ("metadata",)),
        GPU_CLUSTER_TYPE: (DATA,),
        _TENANT: ("state",),
    },
    judge=_unprotected,
    settings={"tenantSelector": dict(TENANT_SELECTOR)},
)


def _nameless(provider: Resource, config: Config) -> Iterator[Verdict]:
    del config
    written = provider.props.get("renderYamlToDirectory")
    if not written and not provider.props.get("clusterIdentifier"):
        yield Fault(provider, "has no cluster_identifier")


PROVIDER_WITHOUT_CLUSTER_IDENTIFIER: Final = ResourceRule(
    id="provider-without-cluster-identifier",
    description="A Kubernetes provider says which cluster it is for by a name of its own.",
    why="Otherwise another address, context or proxy in the kubeconfig replaces the provider, and "
    "with it every object and every tenant's data.",
    mend="set cluster_identifier from the first deployment, and use no default provider",
    severity=Severity.HIGH,
    tags=("operations", "changes"),
    reads={_PROVIDER: ("clusterIdentifier", "renderYamlToDirectory")},
    judge=_nameless,
)


def _unpinned(release: Resource, config: Config) -> Iterator[Verdict]:
    del config
    chart, version = string(release.props, "chart"), release.props.get("version")
    # A directory or a packed chart is one version by itself.
    if version is UNKNOWN or chart.startswith((".", "/")) or chart.endswith(".tgz"):
        return
    wanted = string(release.props, "version")
    if not wanted or any(sign in wanted for sign in "^~*x<>|"):
        said = f"version {wanted}, which is a range" if wanted else "no version"
        yield Fault(release, f"takes the chart {chart} with {said}")


RELEASE_WITHOUT_VERSION: Final = ResourceRule(
    id="release-without-version",
    description="A Helm release names the exact version of its chart.",
    why="Without one the next run takes whatever is newest that day, an operator's new major with "
    "it. The provider puts the version it found in its place before policies are asked, so only "
    "what it leaves alone shows here.",
    mend="set version",
    severity=Severity.HIGH,
    tags=("operations", "changes"),
    reads={RELEASE: VALUES[RELEASE], "helm.sh/Chart": VALUES[RELEASE]},
    judge=_unpinned,
)
