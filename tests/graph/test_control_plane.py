from __future__ import annotations

from graph_sites import KUBECONFIG, site
from recorded_graph import Graph, Registered, is_secret, plain_texts, record

from pulumi_gpu_cluster import ControlPlane
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
