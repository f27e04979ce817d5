"""Runs are killed where it hurts; `gpu-cluster recover` and one more run make everything whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from bare_program import BareProgram
from lightkube import ApiError, Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Namespace, Secret

from gpu_cluster_sandbox.cluster import Cluster

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: slow\nversion: 1.0.0\n",
    "values.yaml": "word: a\nreplicas: 0\n",
    "templates/all.yaml": """
apiVersion: v1
kind: ConfigMap
metadata: {name: word}
data: {word: "{{ .Values.word }}"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: waited-for}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: slow}}
  template:
    metadata: {labels: {app: slow}}
    spec: {containers: [{name: c, image: none.example/none}]}
""",
}
# No node can run the pods of `replicas: 1`, so whoever waits for them waits until killed.
PROGRAM = """
import os
import pulumi
import pulumi_kubernetes as k8s
from pulumi_command import local

config = pulumi.Config()
replicas = config.require_int("replicas")
provider = k8s.Provider(
    "cluster",
    kubeconfig=pulumi.Output.secret(open(os.environ["KUBECONFIG"]).read()),
    cluster_identifier="bare",
)
there = pulumi.ResourceOptions(provider=provider)
namespace = k8s.core.v1.Namespace("rec", metadata={"name": "rec"}, opts=there)
labels = {"app": "own"}
k8s.apps.v1.Deployment(
    "own",
    metadata={"name": "own", "namespace": namespace.metadata.name},
    spec={
        "replicas": config.require_int("own"),
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "c", "image": "none.example/none"}]},
        },
    },
    opts=there,
)
local.Command(
    "sleep",
    create=f"sleep {replicas * 300}",
    opts=pulumi.ResourceOptions(depends_on=[namespace]),
)
k8s.helm.v3.Release(
    "kueue",
    name="kueue",
    chart="./chart",
    namespace=namespace.metadata.name,
    values={
        "word": config.require("word"),
        "replicas": replicas,
        "hidden": pulumi.Output.secret("hush-hush"),
    },
    atomic=True,
    timeout=600,
    opts=there,
)
"""
OWN = "kubernetes:apps/v1:Deployment own"
RELEASE = "kubernetes:helm.sh/v3:Release kueue"


@pytest.fixture(scope="module")
def kube(bare_cluster: Cluster) -> Client:
    return bare_cluster.client()


@pytest.fixture(scope="module")
def program(bare: BareProgram) -> BareProgram:
    bare.write(PROGRAM)
    for name, text in CHART.items():
        path = bare.folder / "chart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert bare.pulumi("stack", "init", "dev").code == 0
    return bare


@pytest.fixture(autouse=True)
def nothing_stays(program: BareProgram, kube: Client) -> Iterator[None]:
    yield
    configure(program, "a", 0)
    destroyed = program.pulumi("destroy", "--yes", "--skip-preview", "--stack", "dev")
    assert destroyed.code == 0, destroyed.output
    assert not plugins(), "a plugin outlived its run"
    wait_for(lambda: namespace_is_gone(kube), "the namespace to go")


def namespace_is_gone(kube: Client) -> bool:
    try:
        kube.get(Namespace, "rec")
    except ApiError as error:
        return error.status.code == 404
    return False


def configure(program: BareProgram, word: str, replicas: int, own: int = 0) -> None:
    for key, value in (("word", word), ("replicas", str(replicas)), ("own", str(own))):
        assert program.pulumi("config", "set", key, value, "--stack", "dev").code == 0


def up(program: BareProgram) -> None:
    done = program.pulumi("up", "--yes", "--skip-preview", "--stack", "dev")
    assert done.code == 0, done.output


def start(program: BareProgram) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--stack", "dev"],
        cwd=program.folder,
        env=program.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(run: subprocess.Popen[bytes]) -> None:
    run.send_signal(signal.SIGKILL)
    run.wait()


def records(kube: Client) -> dict[int, str]:
    """Revision to status of the release, as Helm's own labels tell."""
    secrets = kube.list(Secret, namespace="rec", labels={"owner": "helm", "name": "kueue"})
    found: list[Any] = [one.metadata for one in secrets]
    return {int(one.labels["version"]): one.labels["status"] for one in found}


def wait_for(condition: Callable[[], object], what: str) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, f"waited in vain for {what}"
        time.sleep(0.2)


def plugins() -> list[int]:
    """Kubernetes plugins whose run is over: the processes of nobody."""
    found = subprocess.run(
        ["pgrep", "--parent", "1", "--full", "pulumi-resource-kubernetes 127"],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(pid) for pid in found.stdout.split()]


def under_way(program: BareProgram) -> set[str]:
    """Names of the resources that the state says are under way."""
    (path,) = (program.backend / ".pulumi" / "stacks" / "bare").glob("dev.json")
    latest: dict[str, Any] = json.loads(path.read_text())["checkpoint"]["latest"] or {}
    operations: list[dict[str, Any]] = latest.get("pending_operations", [])
    return {one["resource"]["urn"].rpartition("::")[2] for one in operations}


def recover(program: BareProgram) -> list[str]:
    done = program.run("gpu-cluster", "recover", "--stack", "dev")
    assert done.code == 0, done.output
    assert "hush-hush" not in done.output
    return [line for line in done.output.splitlines() if "process" not in line]


def assert_whole(program: BareProgram) -> None:
    settled = program.pulumi("preview", "--expect-no-changes", "--stack", "dev")
    assert settled.code == 0, settled.output
    state = next((program.backend / ".pulumi" / "stacks" / "bare").glob("dev.json"))
    assert "hush-hush" not in state.read_text(), "a secret lies in the state in plain text"


def test_a_killed_first_run_is_settled_and_the_next_one_finishes_it(
    program: BareProgram, kube: Client
) -> None:
    configure(program, "a", 1, own=1)
    run = start(program)
    wait_for(lambda: under_way(program) >= {"own", "sleep", "kueue"}, "the run to be under way")
    wait_for(lambda: records(kube) == {1: "pending-install"}, "the install")

    early = program.run("gpu-cluster", "recover", "--stack", "dev")
    assert early.code == 1
    assert f"process {run.pid}, at" in early.output, "a living run keeps its lock"
    assert "pulumi cancel --stack dev" in early.output
    kill(run)
    assert plugins(), "the plugin that would take the release away has outlived its run"

    assert recover(program) == [
        (
            "Helm release kueue in namespace rec: removed the record of revision 1, "
            "pending-install; the next run installs it anew"
        ),
        f"{RELEASE} was being created: the next run makes it again",
        "command:local:Command sleep was being created: the next run makes it again",
        "reading 1 resources that were under way from the cluster",
        f"{OWN} is there",
        "settled; the next run is: pulumi up --stack dev",
    ]
    assert not plugins()
    assert recover(program) == ["settled; the next run is: pulumi up --stack dev"]
    configure(program, "a", 0)
    up(program)
    assert records(kube) == {1: "deployed"}
    fields = kube.get(Deployment, "own", namespace="rec").metadata
    assert fields is not None
    ours = [one.manager for one in fields.managedFields or [] if "pulumi" in (one.manager or "")]
    assert len(ours) == 1, f"the next change would be in conflict with one's own: {ours}"
    assert_whole(program)


def test_a_killed_upgrade_goes_on_from_the_last_deployed_revision(
    program: BareProgram, kube: Client
) -> None:
    configure(program, "a", 0)
    up(program)
    configure(program, "b", 1)
    run = start(program)
    wait_for(lambda: records(kube).get(2) == "pending-upgrade", "the upgrade")
    kill(run)
    lines = recover(program)
    assert (
        "Helm release kueue in namespace rec: removed the record of revision 2, pending-upgrade; "
        "the one before it stands"
    ) in lines
    assert f"{RELEASE} is there" in lines
    configure(program, "b", 0)
    up(program)
    assert records(kube) == {1: "superseded", 2: "deployed"}
    assert_whole(program)


def test_a_release_that_was_finished_after_the_kill_is_taken_into_the_state(
    program: BareProgram, kube: Client
) -> None:
    configure(program, "a", 1)
    run = start(program)
    wait_for(lambda: records(kube) == {1: "pending-install"}, "the install")
    kill(run)
    # The plugin still waits for the pods: now there are none to wait for.
    scaled = {"spec": {"replicas": 0}}
    kube.patch(Deployment, "waited-for", scaled, namespace="rec")
    wait_for(lambda: records(kube) == {1: "deployed"}, "the install to end")
    assert f"{RELEASE} is there" in recover(program)
    assert records(kube) == {1: "deployed"}, "what stands is left standing"
    up_again = program.pulumi("preview", "--diff", "--stack", "dev")
    assert f"{RELEASE.split(maxsplit=1)[0]}: (create)" not in up_again.output, up_again.output


def test_an_install_that_a_later_run_has_forgotten_is_found(
    program: BareProgram, kube: Client
) -> None:
    configure(program, "a", 1)
    run = start(program)
    wait_for(lambda: records(kube) == {1: "pending-install"}, "the install")
    # Without its plugin the run fails by itself, and takes the release for never begun.
    children = subprocess.run(
        ["pgrep", "--parent", str(run.pid), "--full", "pulumi-resource-kubernetes"],
        capture_output=True,
        text=True,
        check=True,
    )
    for pid in children.stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: "kueue" not in under_way(program), "the run to notice")
    kill(run)
    configure(program, "a", 0)
    lines = recover(program)
    assert (
        "Helm release kueue in namespace rec: removed the record of revision 1, pending-install; "
        "the next run installs it anew"
    ) in lines
    up(program)
    assert_whole(program)


def test_somebody_elses_release_is_named_and_left_alone(program: BareProgram, kube: Client) -> None:
    configure(program, "a", 0)
    up(program)
    labels = {"owner": "helm", "name": "gpu-operator", "version": "1", "status": "pending-install"}
    name = "sh.helm.release.v1.gpu-operator.v1"
    theirs = Secret(
        metadata=ObjectMeta(name=name, namespace="default", labels=labels),
        type="helm.sh/release.v1",
        data={"release": ""},
    )
    kube.create(theirs)
    try:
        assert recover(program)[0] == (
            "Helm release gpu-operator in namespace default is not this stack's, and was left "
            "alone; if the site installs it too: remove it (helm uninstall gpu-operator "
            "--namespace default), or adopt it (pulumi import kubernetes:helm.sh/v3:Release NAME "
            "default/gpu-operator, with the name and the --parent that pulumi preview shows)"
        )
        assert kube.get(Secret, name, namespace="default")
    finally:
        kube.delete(Secret, name, namespace="default")
