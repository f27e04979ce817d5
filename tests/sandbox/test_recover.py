"""Runs are killed where it hurts; `gpu-cluster recover` and one more run make everything whole."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bare_program import BareProgram
from lightkube import Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import Secret
from sandbox_project import Ran

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
namespace = k8s.core.v1.Namespace(
    "home", metadata={"name": config.require("namespace")}, opts=there
)
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


@dataclass(frozen=True)
class Stack:
    """A stack of the program in a namespace of its own, so that nothing must be cleaned up.

    Attributes:
        program: The program.
        name: Name of the stack and of its namespace.
        kube: The cluster's administrator.
    """

    program: BareProgram
    name: str
    kube: Client

    def configure(self, word: str, replicas: int, own: int = 0) -> None:
        """Sets what the program reads; `replicas` of the release, `own` of the other Deployment."""
        values = {"word": word, "replicas": str(replicas), "own": str(own), "namespace": self.name}
        pairs = [
            word for key, value in values.items() for word in ("--plaintext", f"{key}={value}")
        ]
        done = self.program.pulumi("config", "set-all", "--stack", self.name, *pairs)
        assert done.code == 0, done.output

    def pulumi(self, command: str, *options: str) -> Ran:
        return self.program.pulumi(command, "--stack", self.name, *options)

    def up(self) -> None:
        done = self.pulumi("up", "--yes", "--skip-preview")
        assert done.code == 0, done.output

    def start(self) -> subprocess.Popen[bytes]:
        """Starts a run that is going to be killed."""
        return subprocess.Popen(
            ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "--stack", self.name],
            cwd=self.program.folder,
            env=self.program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def recover(self) -> list[str]:
        """Recovers, and returns what was said: not of processes, nor of other tests' releases."""
        done = self.program.run("gpu-cluster", "recover", "--stack", self.name)
        assert done.code == 0, done.output
        assert "hush-hush" not in done.output
        others = re.compile(rf"process|^Helm release kueue in namespace (?!{self.name}:)")
        return [line for line in done.output.splitlines() if not others.search(line)]

    def records(self) -> dict[int, str]:
        """Revision to status of the release, as Helm's own labels tell."""
        secrets = self.kube.list(
            Secret, namespace=self.name, labels={"owner": "helm", "name": "kueue"}
        )
        found: list[Any] = [one.metadata for one in secrets]
        return {int(one.labels["version"]): one.labels["status"] for one in found}

    @property
    def state_file(self) -> Path:
        return self.program.backend / ".pulumi" / "stacks" / "bare" / f"{self.name}.json"

    def latest(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self.state_file.read_text())
        latest: dict[str, Any] = state["checkpoint"]["latest"] or {}
        return latest

    def under_way(self) -> set[str]:
        """Names of the resources that the state says are under way."""
        operations: list[dict[str, Any]] = self.latest().get("pending_operations", [])
        return {one["resource"]["urn"].rpartition("::")[2] for one in operations}

    def recorded(self) -> set[str]:
        """Names of the resources that the state has."""
        resources: list[dict[str, Any]] = self.latest().get("resources", [])
        return {one["urn"].rpartition("::")[2] for one in resources}

    def assert_whole(self) -> None:
        settled = self.pulumi("preview", "--expect-no-changes")
        assert settled.code == 0, settled.output
        assert "hush-hush" not in self.state_file.read_text(), "a secret lies there in plain text"


@pytest.fixture(scope="module")
def program(bare: BareProgram) -> BareProgram:
    bare.write(PROGRAM)
    for name, text in CHART.items():
        path = bare.folder / "chart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return bare


@pytest.fixture
def stack(
    program: BareProgram, bare_cluster: Cluster, request: pytest.FixtureRequest
) -> Iterator[Stack]:
    name = f"s{zlib.crc32(request.node.name.encode()) % 10_000}"
    made = Stack(program, name, bare_cluster.client())
    done = program.pulumi("stack", "init", name)
    assert done.code == 0, done.output
    yield made
    assert not plugins(), "a plugin outlived its run"


def kill(run: subprocess.Popen[bytes]) -> None:
    run.send_signal(signal.SIGKILL)
    run.wait()


def wait_for(condition: Callable[[], object], what: str) -> None:
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, f"waited in vain for {what}"
        time.sleep(0.2)


def plugins(parent: int = 1) -> list[int]:
    """Kubernetes plugins of a run; those of a run that is over are the processes of nobody."""
    found = subprocess.run(
        ["pgrep", "--parent", str(parent), "--full", "pulumi-resource-kubernetes 127"],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(pid) for pid in found.stdout.split()]


@pytest.mark.parametrize("server_side", ["true", "false"])
def test_a_killed_first_run_is_settled_and_the_next_one_finishes_it(
    stack: Stack, server_side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without server-side apply the provider refuses to create what exists, as newer ones always do.
    monkeypatch.setenv("PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY", server_side)
    stack.configure("a", replicas=1, own=1)
    run = stack.start()
    wait_for(lambda: stack.under_way() >= {"own", "sleep", "kueue"}, "the run to be under way")
    wait_for(lambda: stack.records() == {1: "pending-install"}, "the install")

    early = stack.program.run("gpu-cluster", "recover", "--stack", stack.name)
    assert early.code == 1
    assert f"process {run.pid}, at" in early.output, "a living run keeps its lock"
    assert f"pulumi cancel --stack {stack.name}" in early.output
    kill(run)
    assert plugins(), "the plugin that would take the release away has outlived its run"

    settled = f"settled; the next run is: pulumi up --stack {stack.name}"
    # What was under way comes in the order in which the engine had begun it.
    assert sorted(stack.recover()) == sorted(
        [
            (
                f"Helm release kueue in namespace {stack.name}: removed the record of revision 1, "
                "pending-install; the next run installs it anew"
            ),
            f"{RELEASE} was being created: the next run makes it again",
            "command:local:Command sleep was being created: the next run makes it again",
            "reading 1 resources that were under way from the cluster",
            f"{OWN} is there",
            settled,
        ]
    )
    assert not plugins()
    assert stack.recover() == [settled], "a second recovery has nothing to do"
    stack.configure("a", replicas=0)
    stack.up()
    assert stack.records() == {1: "deployed"}
    fields: Any = stack.kube.get(Deployment, "own", namespace=stack.name).metadata
    ours = [one.manager for one in fields.managedFields if "pulumi" in one.manager]
    assert len(ours) == 1, f"the next change would be in conflict with one's own: {ours}"
    stack.assert_whole()


def test_a_killed_upgrade_goes_on_from_the_last_deployed_revision(stack: Stack) -> None:
    stack.configure("a", replicas=0)
    stack.up()
    stack.configure("b", replicas=1)
    run = stack.start()
    wait_for(lambda: stack.records().get(2) == "pending-upgrade", "the upgrade")
    kill(run)
    lines = stack.recover()
    assert (
        f"Helm release kueue in namespace {stack.name}: removed the record of revision 2, "
        "pending-upgrade; the one before it stands"
    ) in lines
    assert f"{RELEASE} is there" in lines
    stack.configure("b", replicas=0)
    stack.up()
    assert stack.records() == {1: "superseded", 2: "deployed"}
    stack.assert_whole()


def test_a_release_that_was_finished_after_the_kill_is_taken_into_the_state(stack: Stack) -> None:
    stack.configure("a", replicas=1)
    run = stack.start()
    wait_for(lambda: stack.records() == {1: "pending-install"}, "the install")
    wait_for(lambda: deployment_is_there(stack), "the release's objects")
    kill(run)
    # The plugin still waits for the pods: now there are none to wait for.
    scaled = {"spec": {"replicas": 0}}
    stack.kube.patch(Deployment, "waited-for", scaled, namespace=stack.name)
    wait_for(lambda: stack.records() == {1: "deployed"}, "the install to end")
    assert f"{RELEASE} is there" in stack.recover()
    assert stack.records() == {1: "deployed"}, "what stands is left standing"
    assert "kueue" in stack.recorded()
    assert "hush-hush" not in stack.state_file.read_text(), "a secret lies there in plain text"


def deployment_is_there(stack: Stack) -> bool:
    found = stack.kube.list(
        Deployment, namespace=stack.name, fields={"metadata.name": "waited-for"}
    )
    return bool(list(found))


def test_an_install_that_a_later_run_has_forgotten_is_found(stack: Stack) -> None:
    stack.configure("a", replicas=1)
    run = stack.start()
    wait_for(lambda: stack.records() == {1: "pending-install"}, "the install")
    # Without its plugin the run fails by itself, and takes the release for never begun.
    for pid in plugins(run.pid):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: "kueue" not in stack.under_way(), "the run to notice")
    kill(run)
    assert (
        f"Helm release kueue in namespace {stack.name}: removed the record of revision 1, "
        "pending-install; the next run installs it anew"
    ) in stack.recover()
    stack.configure("a", replicas=0)
    stack.up()
    assert stack.records() == {1: "deployed"}


def test_somebody_elses_release_is_named_and_left_alone(stack: Stack) -> None:
    stack.configure("a", replicas=1)
    run = stack.start()
    wait_for(lambda: stack.records() == {1: "pending-install"}, "the install")
    kill(run)
    labels = {"owner": "helm", "name": "gpu-operator", "version": "1", "status": "pending-install"}
    name = "sh.helm.release.v1.gpu-operator.v1"
    theirs = Secret(
        metadata=ObjectMeta(name=name, namespace="default", labels=labels),
        type="helm.sh/release.v1",
        data={"release": ""},
    )
    stack.kube.create(theirs)
    try:
        assert (
            "Helm release gpu-operator in namespace default is not this stack's, and was left "
            "alone; if the site installs it too: remove it (helm uninstall gpu-operator "
            "--namespace default), or adopt it (pulumi import kubernetes:helm.sh/v3:Release NAME "
            "default/gpu-operator, with the name and the --parent that pulumi preview shows)"
        ) in stack.recover()
        assert stack.kube.get(Secret, name, namespace="default")
    finally:
        stack.kube.delete(Secret, name, namespace="default")
