from __future__ import annotations

from typing import Any

import pytest
from component_cases import provider_options
from graph_sites import Changes, site
from recorded_graph import Graph, Registered, record

from pulumi_gpu_cluster import Calico, Cilium, CniArgs, GpuCluster

RELEASE = "kubernetes:helm.sh/v3:Release"
CIDR = "10.244.0.0/16"


def _cluster(cni: object, changes: Changes | None = None) -> Graph:
    return record(lambda: GpuCluster("c", site({**(changes or {}), ("network",): {"cni": cni}})))


def _cilium(*, beside_multus: bool = False, **args: object) -> Any:
    cni = CniArgs.model_validate({"kind": "cilium", **args})
    graph = record(
        lambda: Cilium("cni", cni, beside_multus=beside_multus, opts=provider_options("cni"))
    )
    return graph.named("cni-release", RELEASE).props["values"]


def _calico(**args: object) -> Any:
    cni = CniArgs.model_validate({"kind": "calico", "pod_cidr": CIDR, **args})
    graph = record(lambda: Calico("cni", cni, opts=provider_options("cni")))
    return graph.named("cni-release", RELEASE).props["values"]


def _release(graph: Graph, chart: str) -> Registered:
    return next(one for one in graph.of(RELEASE) if one.props["name"] == chart)


@pytest.mark.parametrize(
    ("cni", "chart"),
    [("cilium", "cilium"), ({"kind": "calico", "pod_cidr": CIDR}, "tigera-operator")],
)
def test_nothing_that_needs_pods_comes_before_the_cni(cni: object, chart: str) -> None:
    graph = _cluster(cni)
    first = _release(graph, chart)
    others = [one for one in graph.of(RELEASE) if one is not first]
    assert others
    for one in others:
        assert graph.waits_for(one, first), one.name


def test_a_cluster_that_brings_its_own_cni_gets_none() -> None:
    graph = _cluster({"kind": "existing", "name": "canal"})
    charts = {one.props["name"] for one in graph.of(RELEASE)}
    assert not charts & {"cilium", "tigera-operator"}


def test_the_cni_of_a_living_cluster_is_not_taken_away_by_an_edit() -> None:
    assert _release(_cluster("cilium"), "cilium").protect
    teardown: Changes = {("teardown",): {"data": "delete", "confirm": "lab"}}
    assert not _release(_cluster("cilium", teardown), "cilium").protect


def test_pods_get_the_addresses_that_kubernetes_gave_their_node_unless_a_range_is_named() -> None:
    assert _cilium()["ipam"] == {"mode": "kubernetes"}
    assert _cilium(pod_cidr=CIDR)["ipam"] == {
        "mode": "cluster-pool",
        "operator": {"clusterPoolIPv4PodCIDRList": [CIDR]},
    }


def test_kube_proxy_is_left_to_the_cluster() -> None:
    assert "kubeProxyReplacement" not in _cilium()


def test_a_second_network_is_not_pushed_aside() -> None:
    assert _cilium(beside_multus=True)["cni"] == {"exclusive": False}
    assert "cni" not in _cilium()


def test_the_largest_packet_is_handed_on() -> None:
    assert _cilium(mtu=8950)["MTU"] == 8950
    assert "MTU" not in _cilium()
    assert _calico(mtu=8950)["installation"]["calicoNetwork"]["mtu"] == 8950


def test_calicos_pool_is_the_range_of_the_site_and_no_other() -> None:
    (pool,) = _calico()["installation"]["calicoNetwork"]["ipPools"]
    assert pool["cidr"] == CIDR


def test_nobodys_traffic_is_shown_on_an_open_page() -> None:
    values = _calico()
    assert values["whisker"] == {"enabled": False}
    assert values["goldmane"] == {"enabled": False}


def test_the_stack_says_which_cni_runs() -> None:
    found: dict[str, Any] = {}

    def program() -> None:
        found.update(GpuCluster("c", site({("network",): {"cni": "cilium"}})).outputs)

    record(program)
    assert found["versions"]["cilium"] == "1.20.0"
