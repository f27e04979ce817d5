"""A cluster with a release of every stand-in chart and nothing else of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from bare_cluster import BareCluster
from helm_releases import VALUES, Releases

from gpu_cluster_sandbox.cluster import Cluster
from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.nodes import apply_nodes
from pulumi_gpu_cluster.site import Site


@pytest.fixture(scope="session")
def cluster(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The embedded cluster, started."""
    made = Cluster(tmp_path_factory.mktemp("charts-cluster"), engine)
    made.start(print)
    yield made
    made.destroy(print)


@pytest.fixture(scope="session")
def site(root: Path) -> Site:
    """The sandbox's site."""
    text = (root / "stacks" / "Pulumi.sandbox.yaml").read_text("utf-8")
    return Site.model_validate(yaml.safe_load(text)["config"]["gpu-cluster:site"])


@pytest.fixture(scope="session")
def cpu_site(site: Site) -> Site:
    """The sandbox's site without its GPU pools: what the operators run on."""
    pools = tuple(pool for pool in site.node_pools if pool.gpu is None)
    return site.model_copy(update={"node_pools": pools})


@pytest.fixture(scope="session")
def bare(cluster: Cluster, cpu_site: Site) -> BareCluster:
    """The cluster with CPU nodes."""
    made = BareCluster(cluster.client())
    apply_nodes(made.client, cpu_site)
    return made


@pytest.fixture(scope="session")
def releases(
    engine: Engine, cluster: Cluster, bare: BareCluster, tmp_path_factory: pytest.TempPathFactory
) -> Releases:
    """Every chart released with values that it knows; goes with the cluster."""
    folder = tmp_path_factory.mktemp("releases")
    made = Releases.in_folder(folder, engine, cluster.kubeconfig)
    done = made.up(VALUES)
    assert done.code == 0, done.output
    return made
