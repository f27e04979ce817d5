"""Each case is a few resources and exactly what one rule about Slurm says of them."""

from __future__ import annotations

from typing import Any

from policy_stack import faults, found, manifest, pool, release

from gpu_cluster_policies.slurm.cluster import (
    SLURM_WITHOUT_ACCOUNTING,
    SLURM_WITHOUT_CGROUP_CONSTRAINTS,
)
from gpu_cluster_policies.slurm.gres import SLURM_GRES_DIFFERS_FROM_POOL
from gpu_cluster_policies.slurm.partitions import SLURM_PARTITION_WITHOUT_TIMES

GOOD = "ConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=yes\n"
API = "slinky.slurm.net/v1beta1:"


def files(**data: str) -> Any:
    return manifest("core/v1:ConfigMap", "files", namespace="slurm", data=data)


def controller(**spec: Any) -> Any:
    return manifest(f"{API}Controller", "c", namespace="slurm", spec=spec)


def test_jobs_are_kept_to_what_they_were_given() -> None:
    rule, refers = SLURM_WITHOUT_CGROUP_CONSTRAINTS, {"configFileRefs": [{"name": "files"}]}
    assert faults(rule, [controller(**refers), files(**{"cgroup.conf": GOOD})]) == []
    assert faults(rule, [release("slurm", {"configFiles": {"cgroup.conf": GOOD}})]) == []
    lax = GOOD.replace("Devices=yes", "Devices=no")
    assert faults(rule, [controller(**refers), files(**{"cgroup.conf": lax})]) == [
        "ConfigMap slurm/files: data.cgroup.conf leaves ConstrainDevices off"
    ]
    all_off = "leaves ConstrainCores, ConstrainDevices, ConstrainRAMSpace off"
    assert faults(rule, [controller()]) == [
        f"Controller slurm/c: configFileRefs without cgroup.conf: {all_off}"
    ]
    assert faults(rule, [release("slurm")]) == [
        f"Release slurm/slurm: values.configFiles.cgroup.conf {all_off}"
    ]
    (told,) = found(rule, controller(**refers))
    assert told.startswith("cannot judge Controller slurm/c: not all ConfigMaps")


def test_slurm_has_an_accounting_database() -> None:
    rule = SLURM_WITHOUT_ACCOUNTING
    conf = "ClusterName=a\nSlurmctldHost=b\n"
    told = conf + "AccountingStorageType=accounting_storage/slurmdbd\n"
    assert faults(rule, [controller(accountingRef={"name": "a"})]) == []
    assert faults(rule, [release("slurm", {"accounting": {"enabled": True}})]) == []
    assert faults(rule, [files(**{"slurm.conf": told})]) == []
    assert faults(rule, [controller()]) == ["Controller slurm/c: has no accountingRef"]
    assert faults(rule, [release("slurm")]) == [
        "Release slurm/slurm: leaves values.accounting.enabled off"
    ]
    assert faults(rule, [files(**{"slurm.conf": conf})]) == [
        "ConfigMap slurm/files: its slurm.conf names no accounting_storage/slurmdbd"
    ]


def test_every_partition_has_times() -> None:
    rule = SLURM_PARTITION_WITHOUT_TIMES
    good = "PartitionName=a Nodes=x MaxTime=1-00:00:00 DefaultTime=1:00:00\n"
    by_default = "PartitionName=DEFAULT MaxTime=60 DefaultTime=10\nPartitionName=a Nodes=x\n"
    assert faults(rule, [controller(extraConf=good), controller(extraConf=by_default)]) == []
    endless = "PartitionName=a MaxTime=INFINITE DefaultTime=10\n# PartitionName=b\n"
    assert faults(rule, [controller(extraConf=endless)]) == [
        "Controller slurm/c: partition a has no MaxTime"
    ]
    assert faults(rule, [files(**{"slurm.conf": "PartitionName=a Nodes=x\n"})]) == [
        "ConfigMap slurm/files: partition a has no MaxTime and no DefaultTime"
    ]
    values = {"partitions": {"all": {"enabled": True, "configMap": {"MaxTime": "60"}}}}
    assert faults(rule, [release("slurm", values)]) == [
        "Release slurm/slurm: partition all has no DefaultTime"
    ]
    partition = {"enabled": True, "config": "MaxTime=UNLIMITED DefaultTime=5"}
    node_set = manifest(f"{API}NodeSet", "gpu", namespace="slurm", spec={"partition": partition})
    assert faults(rule, [node_set]) == ["NodeSet slurm/gpu: partition gpu has no MaxTime"]


def node_set(gres: str = "", limit: int | None = None, **selector: str) -> Any:
    limits = {} if limit is None else {"nvidia.com/gpu": limit}
    spec = {
        "extraConf": f"Gres={gres}" if gres else "",
        "slurmd": {"resources": {"limits": limits}},
        "template": {"spec": {"nodeSelector": selector}},
    }
    return manifest(f"{API}NodeSet", "gpu", namespace="slurm", spec=spec)


def test_a_node_set_gives_out_the_gpus_that_are_there() -> None:
    rule = SLURM_GRES_DIFFERS_FROM_POOL
    train = pool("train", gpu="H100-SXM5-80GB")
    here = {"gpu-cluster.io/pool": "train"}
    assert faults(rule, [train, node_set("gpu:h100:8", 8, **here)]) == []
    assert faults(rule, [node_set("gpu:8", 8), node_set()]) == []
    assert faults(rule, [node_set("gpu:h100:4", 8)]) == [
        "NodeSet slurm/gpu: node set gpu gives out 4 GPUs, and its pods ask for 8"
    ]
    assert faults(rule, [node_set("", 8)]) == [
        "NodeSet slurm/gpu: node set gpu gives out 0 GPUs, and its pods ask for 8"
    ]
    assert faults(rule, [train, node_set("gpu:h100:4", 4, **here)]) == [
        "NodeSet slurm/gpu: node set gpu gives out 4 GPUs, and its pool has 8"
    ]
    values = {
        "nodesets": {
            "a": {
                "slurmd": {"resources": {"limits": {"nvidia.com/gpu": 8}}},
                "extraConfMap": {"Gres": ["gpu:h100:2"]},
            }
        }
    }
    assert faults(rule, [release("slurm", values)]) == [
        "Release slurm/slurm: node set a gives out 2 GPUs, and its pods ask for 8"
    ]
