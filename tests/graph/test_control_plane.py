from __future__ import annotations

import pulumi
import pytest
from graph_sites import KUBECONFIG, site
from recorded_graph import Graph, Registered, is_secret, plain_texts, record

from pulumi_gpu_cluster import ControlPlane, ControlPlaneArgs
from pulumi_gpu_cluster.site import Site

PROVIDER = "pulumi:providers:kubernetes"


def _graph(one: Site) -> Graph:
    return record(lambda: ControlPlane("cp", one.control_plane, identifier=one.name))


def _provider(one: Site) -> Registered:
    return _graph(one).named("cp-kubernetes", PROVIDER)


def test_a_kubeconfig_is_a_secret_wherever_it_goes() -> None:
    graph = _graph(site())
    assert is_secret(graph.named("cp-kubernetes", PROVIDER).wire["kubeconfig"])
    for resource in graph.resources:
        assert not [text for text in plain_texts(resource.wire) if "planted-token" in text]


def test_another_kubeconfig_does_not_make_it_another_cluster() -> None:
    moved = site({("control_plane", "kubeconfig"): KUBECONFIG.replace("planted", "rotated")})
    before, after = _provider(site()), _provider(moved)
    assert before.props["kubeconfig"] != after.props["kubeconfig"]
    assert before.props["clusterIdentifier"] == after.props["clusterIdentifier"] == "lab"


def test_a_kubeconfig_file_is_passed_by_its_path_and_never_read() -> None:
    one = site(
        {
            ("control_plane", "kubeconfig"): None,
            ("control_plane", "kubeconfig_file"): "admin.conf",
            ("control_plane", "context"): "lab",
        }
    )
    props = _provider(one).props
    assert (props["kubeconfig"], props["context"]) == ("admin.conf", "lab")


def test_changed_data_updates_config_maps_and_secrets_in_place() -> None:
    props = _provider(site()).props
    # Providers take truth values as text.
    assert [
        props[key]
        for key in ("enableConfigMapMutable", "enableSecretMutable", "enableServerSideApply")
    ] == ["true"] * 3


KUBEADM = ControlPlaneArgs(kind="kubeadm", version="1.36.3", endpoint="10.20.0.10", hosts="cp1")


def test_a_control_plane_over_ssh_is_refused_where_nobody_built_it() -> None:
    with pytest.raises(pulumi.RunError, match="kubeadm over SSH is planned"):
        record(lambda: ControlPlane("cp", KUBEADM, identifier="lab"))


def test_a_control_plane_that_another_resource_built_is_used_by_its_kubeconfig() -> None:
    made = pulumi.Output.from_input(KUBECONFIG)
    graph = record(lambda: ControlPlane("cp", KUBEADM, identifier="lab", kubeconfig=made))
    assert is_secret(graph.named("cp-kubernetes", PROVIDER).wire["kubeconfig"])
