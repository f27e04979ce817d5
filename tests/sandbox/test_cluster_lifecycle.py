"""The embedded cluster from its first start to its end, with the real programs."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap
from plugin_process import alive

from gpu_cluster_sandbox.cluster import PART_NAMES, Cluster, ClusterError
from gpu_cluster_sandbox.cluster.ports import is_free
from gpu_cluster_sandbox.engine import Engine
from gpu_cluster_sandbox.engine.selection import gather

_CARRYING = {"etcd", "kube-apiserver"}
SECONDS_TO_START = 15
"""The promise to users; a machine that is busy with other tests keeps it too."""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def cluster(engine: Engine, state: Path) -> Iterator[Cluster]:
    """Its tests build on one another, in the order in which they stand here."""
    made = Cluster(state, engine)
    yield made
    made.destroy(print)


def pids(cluster: Cluster) -> dict[str, int | None]:
    return {part.name: part.pid for part in cluster.status()}


def assert_well(cluster: Cluster) -> None:
    assert {part.name: part.trouble for part in cluster.status()} == dict.fromkeys(PART_NAMES, "")


def ports(cluster: Cluster) -> list[int]:
    return [part.port for part in cluster.status() if part.port]


def test_a_cluster_that_was_never_started_has_nothing_to_stop(
    cluster: Cluster, state: Path
) -> None:
    cluster.stop(print)
    assert [part.trouble for part in cluster.status()] == ["never started"] * len(PART_NAMES)
    assert list(state.iterdir()) == []


def test_it_starts_in_time_and_every_part_is_well(cluster: Cluster) -> None:
    begun = time.monotonic()
    cluster.start(print)
    assert time.monotonic() - begun < SECONDS_TO_START
    assert_well(cluster)


def test_starting_a_whole_cluster_changes_nothing(cluster: Cluster) -> None:
    before = pids(cluster)
    told: list[str] = []
    cluster.start(told.append)
    assert pids(cluster) == before
    assert len(told) == 1


def test_nobody_else_can_read_its_kubeconfig_and_keys(cluster: Cluster, state: Path) -> None:
    assert stat.S_IMODE(cluster.kubeconfig.stat().st_mode) == 0o600
    for folder in ("pki", "etcd", "logs", "run"):
        assert stat.S_IMODE((state / folder).stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (state / "pki").iterdir()} == {0o600}


@pytest.mark.parametrize(
    "killed",
    [*((name,) for name in PART_NAMES), PART_NAMES],
    ids=" and ".join,
)
def test_what_was_killed_is_started_again_and_no_object_is_lost(
    cluster: Cluster, killed: tuple[str, ...]
) -> None:
    name = f"before-{'-'.join(killed)}"
    cluster.client().create(
        ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data={"kept": "yes"})
    )
    before = pids(cluster)
    for part in killed:
        pid = before[part]
        assert pid
        os.kill(pid, signal.SIGKILL)
    cluster.start(print)
    assert_well(cluster)
    after = pids(cluster)
    anew = {part for part in PART_NAMES if after[part] != before[part]}
    if _CARRYING.isdisjoint(killed):
        assert anew == set(killed)
    else:
        # Controllers may end by themselves while there is no API server.
        assert set(killed) <= anew
    kept = cluster.client().get(ConfigMap, name, namespace="default")
    assert kept.data == {"kept": "yes"}


def test_two_starts_at_once_do_not_clash(cluster: Cluster, state: Path, engine: Engine) -> None:
    pid = pids(cluster)["kube-scheduler"]
    assert pid
    os.kill(pid, signal.SIGKILL)
    script = (
        "import sys; from pathlib import Path;"
        "from gpu_cluster_sandbox.cluster import Cluster;"
        "from gpu_cluster_sandbox.engine import Engine;"
        "Cluster(Path(sys.argv[1]), Engine(Path(sys.argv[2]))).start(print)"
    )
    command = [sys.executable, "-c", script, str(state), str(engine.bin_dir)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    outputs = [run.communicate(timeout=60)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], outputs
    assert_well(cluster)


def test_stop_leaves_no_process_no_port_and_only_data(cluster: Cluster, state: Path) -> None:
    running = [pid for pid in pids(cluster).values() if pid]
    used = ports(cluster)
    cluster.stop(print)
    assert [pid for pid in running if alive(pid)] == []
    assert [port for port in used if not is_free(port)] == []
    kept = {"etcd", "kubeconfig", "logs", "pki", "ports.json"}
    assert {path.name for path in state.iterdir()} == kept
    assert {part.trouble for part in cluster.status()} == {"not running"}


def test_another_program_on_the_api_servers_port_is_named_as_the_trouble(
    cluster: Cluster, state: Path
) -> None:
    api = ports(cluster)[1]
    with socket.create_server(("127.0.0.1", api)), pytest.raises(ClusterError) as caught:
        cluster.start(print)
    assert f"port {api} on 127.0.0.1 is the API server's" in caught.value.message
    assert f"sport = :{api}" in caught.value.fix
    assert {part.pid for part in cluster.status()} == {None}


def test_it_comes_back_at_its_address_with_its_data(cluster: Cluster) -> None:
    address = cluster.kubeconfig.read_text()
    etcd = ports(cluster)[0]
    # A part that nobody remembers the port of makes room for the program that has it now.
    with socket.create_server(("127.0.0.1", etcd)):
        cluster.start(print)
    assert_well(cluster)
    assert cluster.kubeconfig.read_text() == address
    assert ports(cluster)[0] != etcd
    assert cluster.client().get(ConfigMap, "before-etcd", namespace="default").data


def test_destroy_leaves_nothing_of_its_own(cluster: Cluster, state: Path) -> None:
    (state / "of-someone-else").touch()
    running = [pid for pid in pids(cluster).values() if pid]
    cluster.destroy(print)
    assert [pid for pid in running if alive(pid)] == []
    assert [path.name for path in state.iterdir()] == ["of-someone-else"]


def test_a_part_that_does_not_come_up_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho the disk is full >&2\nexit 1\n")
    broken.chmod(0o755)
    cluster = Cluster(tmp_path / "state", gather(dict.fromkeys(PART_NAMES, broken), {}))
    with pytest.raises(ClusterError) as caught:
        cluster.start(print)
    assert caught.value.message == "etcd ended:\n  the disk is full"
    assert str(cluster.logs("etcd")) in caught.value.fix
    cluster.destroy(print)
