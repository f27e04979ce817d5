"""The sandbox's own site, brought up by the commands that users type, and looked at."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
import yaml
from lightkube import Client, generic_resource
from lightkube.resources.core_v1 import Node
from sandbox_project import RunningSite, labels_of, taints_of

_generic = cast("Any", generic_resource)
ClusterQueue = _generic.create_global_resource(
    "kueue.x-k8s.io", "v1beta2", "ClusterQueue", "clusterqueues"
)
LocalQueue = _generic.create_namespaced_resource(
    "kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues"
)


def test_the_summary_names_pools_tenants_and_what_to_try_next(running: RunningSite) -> None:
    summary = running.first_up.output.rsplit("POOL", 1)[-1]
    for line in (
        r"^train +4 +8 x H100-SXM5-80GB +32 nvidia.com/gpu +580.173.02",
        r"^serve .*32 nvidia.com/mig-3g.40gb +595.91.07 +all-3g.40gb",
        r"^ml-team +ml-team +24 nvidia.com/gpu, 8 nvidia.com/mig-3g.40gb",
    ):
        assert re.search(line, summary, re.MULTILINE), summary
    assert "kubectl create -f docs/examples/job.yaml" in summary


def test_nodes_carry_our_label_and_taint_beside_those_of_others(client: Client) -> None:
    labels = labels_of(client, "gpu01")
    assert labels["gpu-cluster.io/pool"] == "train"
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    assert ("nvidia.com/gpu", "present", "NoSchedule") in taints_of(client, "gpu01")
    assert not taints_of(client, "cpu1")


def test_a_mig_pool_offers_slices_and_no_whole_gpus(client: Client) -> None:
    status = client.get(Node, "mig01").status
    assert status is not None
    assert status.allocatable is not None
    assert status.allocatable["nvidia.com/mig-3g.40gb"] == "16"
    assert status.allocatable.get("nvidia.com/gpu", "0") == "0"


def test_guarantee_and_borrowing_limit_are_two_numbers(client: Client) -> None:
    queue: dict[str, Any] = client.get(ClusterQueue, "ml-team")
    flavors: list[dict[str, Any]] = [
        flavor for group in queue["spec"]["resourceGroups"] for flavor in group["flavors"]
    ]
    train = next(flavor for flavor in flavors if flavor["name"] == "train")
    gpus = next(item for item in train["resources"] if item["name"] == "nvidia.com/gpu")
    assert (str(gpus["nominalQuota"]), str(gpus["borrowingLimit"])) == ("16", "8")
    local = client.get(LocalQueue, "default", namespace="ml-team")
    assert local["spec"]["clusterQueue"] == "ml-team"


def test_no_credential_lies_in_the_state_in_plain_text(running: RunningSite) -> None:
    state = running.state
    key = re.search(r'client-key-data"?: "?(\w{60})', (state / "kubeconfig").read_text())
    assert key is not None, "the kubeconfig holds no key: this test would prove nothing"
    files = [path for path in (state / "backend").rglob("*") if path.is_file()]
    assert files, "there is no state: this test would prove nothing"
    for path in [*files, state / "Pulumi.sandbox.yaml"]:
        assert key.group(1).encode() not in path.read_bytes(), path
    assert key.group(1) not in running.first_up.output


def test_the_users_stack_file_is_left_as_it_was(
    running: RunningSite, sandbox_site: dict[str, Any]
) -> None:
    text = (running.project.folder / "stacks" / "Pulumi.sandbox.yaml").read_text()
    assert yaml.safe_load(text) == sandbox_site


@pytest.mark.parametrize("name", ["kubeconfig", "passphrase"])
def test_a_secret_file_is_readable_by_its_owner_alone(running: RunningSite, name: str) -> None:
    assert (running.state / name).stat().st_mode & 0o777 == 0o600
