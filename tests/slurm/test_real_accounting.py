"""Tenants' limits in Slurm's own database, by Slurm's own programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from made_site import gpu_pool, made_site, tenant
from real_slurm import CLUSTER, RealSlurm

from pulumi_gpu_cluster.node_pools.capacity import slurm_pools
from pulumi_gpu_cluster.slurm.accounts import account_of, accounting_list
from pulumi_gpu_cluster.slurm.args import PartitionArgs
from pulumi_gpu_cluster.slurm.gres import gres, tres
from pulumi_gpu_cluster.slurm.node_size import slurm_memory
from pulumi_gpu_cluster.slurm.slurm_conf import controller_settings

ASSOCIATIONS = "format=account,user,fairshare,grptres,grpjobs,grpsubmit,qos,defaultqos"


def _list(members: tuple[str, ...] = ("alice",), **changes: Any) -> str:
    quota = {"train": {"gpu": {"guarantee": 8, "ceiling": 16}, "memory": "1000Gi"}}
    site = made_site(
        node_pools=[gpu_pool(workload="slurm")],
        tenants=[tenant(quota=quota, weight=60, **changes), tenant("guests", {"memory": "1Gi"})],
    )
    accounts = [
        account_of(one, site.node_pools, members if one.name == "ml-team" else ())
        for one in site.tenants
    ]
    return accounting_list(CLUSTER, tres(slurm_pools(site.node_pools)), accounts)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSlurm]:
    """Accounting that knows the cluster, and a controller on our settings."""
    one = RealSlurm(tmp_path_factory.mktemp("slurm"))
    try:
        one.start_accounting()
        assert "sacctmgr add cluster" in one.apply(f"cluster|{CLUSTER}\n")
        (pool,) = made_site(node_pools=[gpu_pool(workload="slurm")]).node_pools
        assert pool.gpu is not None
        nodes = (
            f"NodeSet=train Feature=train\nNodeName=gpu[01-04] CPUs={pool.cpus} "
            f"RealMemory={slurm_memory(pool) // 2**20} Gres={gres(pool.gpu)} Feature=train "
            "NodeAddr=127.0.0.1 Port=[27001-27004]"
        )
        partition = PartitionArgs(name="long", pools=("train",))
        one.start_controller(
            controller_settings([partition], [pool], {"train": ["ml-team"]}), nodes
        )
        one.apply(_list())
        yield one
    finally:
        one.stop()


def test_slurmdbd_finds_nothing_amiss_with_the_databases_settings(slurm: RealSlurm) -> None:
    assert "not recommended values" not in slurm.log("slurmdbd")


def test_the_controller_takes_every_line_of_our_settings(slurm: RealSlurm) -> None:
    # Debian's controller, unpacked beside the system, ends soon after; with bare settings too.
    log = slurm.log("slurmctld-wlm")
    assert "Registering slurmctld" in log, log
    for complaint in ("fatal", "arsing error", "not recognized", "nvalid", "uplicate"):
        told = [line for line in log.splitlines() if complaint in line and "MailProg" not in line]
        assert not told


def test_the_limits_are_in_slurms_own_database(slurm: RealSlurm) -> None:
    found = slurm.ask("associations", ASSOCIATIONS)
    assert "ml-team||60|cpu=384,gres/gpu=16,mem=1000G|||borrow,ml-team|ml-team" in found
    assert "guests||1|gres/gpu=0|0|0|guests|guests" in found
    assert [line for line in found if line.startswith("ml-team|alice|")]
    held = slurm.ask("qos", "format=name,priority,grptres,preempt,preemptmode")
    assert "ml-team|1000|cpu=192,gres/gpu=8,mem=1000G|borrow|cluster" in held
    assert "borrow|0|||requeue" in held


def test_the_same_list_again_writes_nothing(slurm: RealSlurm) -> None:
    before = slurm.ask("transactions")
    assert slurm.apply(_list()) == "accounting is as the list says\n"
    assert slurm.ask("transactions") == before


def test_a_tenant_that_leaves_may_start_nothing_and_comes_back_whole(slurm: RealSlurm) -> None:
    slurm.apply(_list(state="leaving"))
    found = slurm.ask("associations", ASSOCIATIONS)
    assert "ml-team||60|cpu=384,gres/gpu=16,mem=1000G|0|0|borrow,ml-team|ml-team" in found
    slurm.apply(_list())
    found = slurm.ask("associations", ASSOCIATIONS)
    assert "ml-team||60|cpu=384,gres/gpu=16,mem=1000G|||borrow,ml-team|ml-team" in found
