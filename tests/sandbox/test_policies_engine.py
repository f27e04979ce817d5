"""The pack is loaded by the real engine and judges a program of a few lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import others
import planted
import pytest
import realistic
from bare_program import BareProgram
from written import write_charts

PROGRAM = """
import os
import pulumi
import pulumi_kubernetes as k8s
from pulumi_command import local
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.node_pools.component import NodePool

config = pulumi.Config()
kubeconfig = open(os.environ["KUBECONFIG"]).read()
if config.get_bool("later"):
    # Not known before the command has run.
    kubeconfig = local.Command("kubeconfig", create="cat $KUBECONFIG").stdout
provider = k8s.Provider("cluster", kubeconfig=kubeconfig, cluster_identifier="bare")
there = pulumi.ResourceOptions(provider=provider)

node = {"cpus": 8, "memory": "64Gi", "driver": "580.1"}
for pool in (
    {"name": "train", "gpu": {"model": "H100-SXM5-80GB"}},
    {
        "name": "serve",
        "gpu": {"model": "A100-SXM4-40GB"},
        "mig": config.get("pool-layout") or "all-3g.20gb",
    },
):
    selector = {"gpu-cluster.io/pool": pool["name"]}
    args = NodePoolArgs(**pool, **node, selector=selector, count=1)
    NodePool(pool["name"], args, opts=there)
labels = {"gpu-cluster.io/tenant": "team", "pod-security.kubernetes.io/enforce": "baseline"}
namespace = k8s.core.v1.Namespace(
    "team",
    metadata={"name": "team", "labels": labels},
    opts=pulumi.ResourceOptions(provider=provider, protect=True),
)
k8s.networking.v1.NetworkPolicy(
    "team",
    metadata={"name": "wall", "namespace": "team"},
    spec={"pod_selector": {}, "policy_types": ["Ingress"]},
    opts=there,
)
k8s.core.v1.ResourceQuota(
    "team",
    metadata={"namespace": namespace.metadata.name},
    spec={"hard": {key: "1" for key in (config.get("hard") or "").split(",") if key}},
    opts=there,
)
k8s.core.v1.Node(
    "mig01",
    metadata={
        "name": "mig01",
        "labels": {
            "gpu-cluster.io/pool": "serve",
            "nvidia.com/mig.config": config.get("node-layout") or "all-3g.20gb",
        },
    },
    opts=there,
)
"""
EVERYTHING = "requests.nvidia.com/gpu,requests.nvidia.com/mig-3g.20gb"
QUOTA = (
    "namespace team: no ResourceQuota limits {missing}, so its pods may take all there is; fix: "
    "name each in spec.hard of a ResourceQuota of this namespace (0 where the tenant gets none)"
)
LAYOUTS = (
    "all-disabled, all-enabled, all-balanced, all-1g.5gb, all-1g.5gb.me, all-1g.10gb, all-2g.10gb, "
    "all-3g.20gb, all-4g.20gb, all-7g.40gb"
)
MISFIT = (
    "the MIG layout all-3g.40gb does not fit A100-SXM4-40GB: MIG Manager makes none of this name "
    f"for it; fix: use {LAYOUTS}"
)


@pytest.fixture(scope="module")
def program(bare: BareProgram) -> BareProgram:
    bare.write(PROGRAM)
    assert bare.pulumi("stack", "init", "dev").code == 0
    return bare


def violations(output: str) -> dict[str, str]:
    """Rule to message, of what the engine printed."""
    found = re.findall(r"- \[(\w+)\] \[severity: \w+\]  ([\w-]+) .*\n +.+\n +(.+)", output)
    return {f"{level} {rule}": message for level, rule, message in found}


def preview(program: BareProgram, root: Path, *more: str, **config: str) -> tuple[int, str]:
    stack = {f"bare:{key.replace('_', '-')}": value for key, value in config.items()}
    (program.folder / "Pulumi.dev.yaml").write_text(
        json.dumps({"encryptionsalt": salt(program), "config": stack})
    )
    ran = program.pulumi(
        "preview", "--stack", "dev", "--policy-pack", str(root / "policies"), *more
    )
    return ran.code, ran.output


def salt(program: BareProgram) -> str:
    text = (program.folder / "Pulumi.dev.yaml").read_text()
    found = re.search(r"encryptionsalt\"?: \"?([^\"\n]+)", text)
    assert found, text
    return found[1]


def test_a_stack_that_keeps_the_rules_passes(program: BareProgram, root: Path) -> None:
    code, output = preview(program, root, hard=EVERYTHING)
    assert (code, violations(output)) == (0, {}), output
    assert "gpu-cluster@v0.1.0" in output, "the pack was not loaded"


def test_each_rule_stops_a_preview_with_its_own_message(program: BareProgram, root: Path) -> None:
    code, output = preview(program, root, hard="requests.nvidia.com/gpu", node_layout="all-3g.40gb")
    assert (code, violations(output)) == (
        1,
        {
            "mandatory tenant-namespace-without-gpu-quota": QUOTA.format(
                missing="requests.nvidia.com/mig-3g.20gb"
            ),
            "mandatory node-mig-layout-does-not-fit": f"node mig01: {MISFIT}",
        },
    ), output
    # A pool that no layout fits offers nothing, so its slices would be told as unknown.
    whole = "requests.nvidia.com/gpu"
    code, output = preview(program, root, hard=whole, pool_layout="all-3g.40gb")
    assert (code, violations(output)) == (
        1,
        {"mandatory mig-layout-does-not-fit": f"node pool serve: {MISFIT}"},
    ), output


def test_the_packs_configuration_is_read(program: BareProgram, root: Path) -> None:
    file = program.folder / "policies.json"
    rule = {"boards": {"mig01": "A100-SXM4-80GB"}}
    file.write_text(json.dumps({"node-mig-layout-does-not-fit": rule}))
    configured = ("--policy-pack-config", str(file))
    code, output = preview(program, root, *configured, hard=EVERYTHING, node_layout="all-3g.40gb")
    assert (code, violations(output)) == (0, {}), output


def test_what_a_preview_cannot_know_is_told_and_stops_nothing(
    program: BareProgram, root: Path
) -> None:
    code, output = preview(program, root, later="true")
    assert code == 0, output
    told = set(violations(output))
    assert all(one.startswith("advisory ") for one in told), output
    assert told >= {
        "advisory node-mig-layout-does-not-fit",
        "advisory tenant-namespace-without-gpu-quota",
    }, output
    assert "namespace team: its labels are not known yet" in output
    assert "node mig01: its labels are not known yet" in output


def preview_of(program: BareProgram, root: Path, stack: ModuleType) -> tuple[int, str]:
    """A hand-written stack before the strict set."""
    place = root / "tests/policies/stacks"
    program.write(
        f"import sys\nsys.path.insert(0, {str(place)!r})\n"
        f"import {stack.__name__}\n{stack.__name__}.make()\n"
    )
    write_charts(program.folder)
    file = program.folder / "strict.json"
    file.write_text(json.dumps({"all": "mandatory", **stack.CONFIG}))
    return preview(program, root, "--policy-pack-config", str(file))


def told(output: str) -> Counter[str]:
    """How often each rule was broken, of what the engine printed."""
    return Counter(re.findall(r"- \[mandatory\] \[severity: \w+\]  ([\w-]+) ", output))


def test_a_stack_with_thirty_planted_faults_gets_exactly_those(
    program: BareProgram, root: Path
) -> None:
    code, output = preview_of(program, root, planted)
    assert told(output) == Counter(planted.FAULTS), output
    assert sum(told(output).values()) == 30
    assert code == 1
    assert planted.SECRET not in output


def test_every_rule_that_is_left_fires_in_a_second_stack(program: BareProgram, root: Path) -> None:
    code, output = preview_of(program, root, others)
    # The provider has put the version that it found in its place before policies are asked.
    seen: Counter[str] = Counter(others.FAULTS)
    del seen["release-without-version"]
    assert told(output) == seen, output
    assert code == 1


def test_every_rule_is_silent_over_ten_stacks_as_people_write_them(
    program: BareProgram, root: Path
) -> None:
    code, output = preview_of(program, root, realistic)
    assert (code, told(output)) == (0, Counter()), output
    assert "gpu-cluster@v0.1.0" in output, "the pack was not loaded"
    assert "[advisory]" not in output, output
