"""A cluster without anything on it, for charts, stages and simulated nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from bare_cluster import BareCluster

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.cluster import PART_NAMES, Cluster
from gpu_cluster_sandbox.engine import ensure_engine
from pulumi_gpu_cluster.site import Site


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The embedded cluster, started."""
    engine = ensure_engine("auto", print, only=PART_NAMES)
    made = Cluster(tmp_path_factory.mktemp("charts-cluster"), engine)
    made.start(print)
    yield made
    made.destroy(print)


@pytest.fixture(scope="session")
def bare(cluster: Cluster) -> BareCluster:
    """The cluster, to be spoken to."""
    return BareCluster(cluster.client())


@pytest.fixture(scope="session")
def served(bare: BareCluster) -> BareCluster:
    """The cluster with the CRDs and stages of every chart."""
    for chart in STAND_INS:
        bare.serve(chart)
    return bare


@pytest.fixture
def site(root: Path) -> Site:
    """The sandbox's site."""
    text = (root / "stacks" / "Pulumi.sandbox.yaml").read_text("utf-8")
    return Site.model_validate(yaml.safe_load(text)["config"]["gpu-cluster:site"])
