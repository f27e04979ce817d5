"""What a tenant's pod may ask Multus for, by the real API server's word."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, cast

import pytest
from graph_sites import site
from lightkube import ApiError, Client, KubeConfig, generic_resource
from lightkube.models.core_v1 import Container, PodSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Namespace, Pod
from lightkube.types import PatchType

from gpu_cluster_sandbox.cluster import Cluster
from pulumi_gpu_cluster.network.admission import own_networks
from pulumi_gpu_cluster.network.resources import fabric_pools

MORE = "k8s.v1.cni.cncf.io/networks"
INSTEAD = "v1.multus-cni.io/default-network"
TEAM = "networked"
REFUSED = "names at most 2 of the networks of nics and of its own namespace"
# lightkube types no making of generic resources.
_kind = cast("Any", generic_resource).create_global_resource
ROCE = {
    "link": "roce-400",
    "interfaces": ["ens1f0np0", "ens1f1np1"],
    "addresses": "192.168.64.0/24",
}


@pytest.fixture(scope="module")
def team(bare_cluster: Cluster) -> Iterator[Client]:
    """The namespace of a tenant, on a cluster that keeps the rule of two RoCE ports."""
    client = Client(config=KubeConfig.from_file(bare_cluster.kubeconfig), namespace=TEAM)
    rule = own_networks(fabric_pools(site({("node_pools", 0, "fabric"): ROCE}).node_pools), "nics")
    api = "admissionregistration.k8s.io"
    policy = _kind(api, "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies")
    binding = _kind(
        api, "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"
    )
    here = {"matchExpressions": [{"key": rule.namespace_label, "operator": "Exists"}]}
    what = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": list(rule.operations),
        "resources": ["pods"],
    }
    spec = {
        "failurePolicy": rule.on_error,
        "matchConstraints": {"namespaceSelector": here, "resourceRules": [what]},
        "validations": [{"expression": rule.requires, "messageExpression": rule.message}],
    }
    name = ObjectMeta(name=rule.name)
    home = ObjectMeta(name=TEAM, labels={rule.namespace_label: TEAM})
    client.create(Namespace(metadata=home))
    client.create(policy(metadata=name, spec=spec))
    client.create(
        binding(metadata=name, spec={"policyName": rule.name, "validationActions": ["Deny"]})
    )
    _wait_until_kept(client)
    yield client
    client.delete(binding, rule.name)
    client.delete(policy, rule.name)


@pytest.mark.parametrize(
    "networks",
    ["", "nics/train", "nics/train@net1, nics/train@net2", "own", f"{TEAM}/own"],
)
def test_a_pod_may_have_the_fabrics_network_once_for_each_port(team: Client, networks: str) -> None:
    team.create(_pod("good", {MORE: networks} if networks else {}), dry_run=True)


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param({INSTEAD: "nics/train"}, id="in-place-of-the-clusters"),
        pytest.param({MORE: ",".join(["nics/train"] * 3)}, id="more-than-there-are-ports"),
        pytest.param({MORE: "kube-system/host"}, id="of-another-namespace"),
        pytest.param({MORE: "nics-too/train"}, id="of-one-that-begins-alike"),
        pytest.param(
            {MORE: '[{"name": "train", "namespace": "nics", "ips": ["192.168.64.9/24"]}]'},
            id="with-somebody-elses-address",
        ),
    ],
)
def test_a_pod_that_would_take_more_of_the_network_is_refused(
    team: Client, annotations: dict[str, str]
) -> None:
    with pytest.raises(ApiError, match=REFUSED):
        team.create(_pod("sly", annotations), dry_run=True)


def test_a_pod_cannot_ask_for_more_later(team: Client) -> None:
    team.create(_pod("later", {MORE: "nics/train"}))
    try:
        with pytest.raises(ApiError, match=REFUSED):
            _annotate(team, {INSTEAD: "nics/train"})
        _annotate(team, {"seen": "yes"})
    finally:
        team.delete(Pod, "later", grace_period=0)


def _wait_until_kept(client: Client) -> None:
    """A rule holds a moment after it is made."""
    for _ in range(300):
        try:
            client.create(_pod("first", {INSTEAD: "other"}), dry_run=True)
        except ApiError as refused:
            if REFUSED in str(refused):
                return
        time.sleep(0.1)
    raise AssertionError("the rule never held")


def _annotate(client: Client, annotations: dict[str, str]) -> None:
    change = {"metadata": {"annotations": annotations}}
    client.patch(Pod, "later", change, patch_type=PatchType.MERGE)


def _pod(name: str, annotations: dict[str, str]) -> Pod:
    container = Container(name="main", image="example/image:1")
    return Pod(
        metadata=ObjectMeta(name=name, namespace=TEAM, annotations=annotations),
        spec=PodSpec(containers=[container]),
    )
