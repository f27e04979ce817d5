"""Backups of what a cluster cannot be rebuilt without: etcd, and Slurm's accounting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_policy import Severity

from gpu_cluster_policies.reading import string, walk
from gpu_cluster_policies.resources import Resource
from gpu_cluster_policies.rule import Config, Fault, StackRule, Verdict, each
from gpu_cluster_policies.stack import Stack

_DATABASE: Final = "k8s.mariadb.com/MariaDB"
_BACKUPS: Final = ("k8s.mariadb.com/Backup", "k8s.mariadb.com/PhysicalBackup")
_CRON_JOB: Final = "batch/CronJob"
_COMMANDS: Final = ("command:remote:Command", "command:local:Command")
_DUMP: Final = re.compile(r"\b(mariadb-dump|mysqldump|mariadb-backup|mariabackup)\b")
_INIT: Final = re.compile(r"\bkubeadm\s+init\b(?!\s+phase)")
_SNAPSHOT: Final = re.compile(
    r"\betcd(ctl|utl)\b.*\bsnapshot\b|\betcd-snapshot\b|\bvelero\b", re.DOTALL
)


def _undumped(stack: Stack, config: Config) -> Iterator[Verdict]:
    del config
    yield from each(stack.of(_DATABASE), lambda one: _judge_database(one, stack))


def _judge_database(database: Resource, stack: Stack) -> Iterator[Verdict]:
    name = string(database.props, "metadata", "name")
    namespace = string(database.props, "metadata", "namespace")
    backed_up = any(
        string(one.props, "spec", "mariaDbRef", "name") == name
        and string(one.props, "metadata", "namespace") == namespace
        for one in stack.beside(database, *_BACKUPS)
    )
    dumped = any(
        string(one.props, "metadata", "namespace") == namespace and _says(one, _DUMP)
        for one in stack.beside(database, _CRON_JOB)
    )
    if not backed_up and not dumped:
        yield Fault(database, "neither a Backup nor a CronJob with a dump is in the stack")


def _says(resource: Resource, pattern: re.Pattern[str]) -> bool:
    return any(
        isinstance(found, str) and pattern.search(found) for _, _, found in walk(resource.props)
    )


DATABASE_WITHOUT_BACKUP: Final = StackRule(
    id="database-without-backup",
    description="Slurm's database, like any other of the stack, is backed up.",
    why="With it go accounts, limits and everybody's usage; Slurm's upgrades convert it in place, "
    "and only a backup leads back.",
    mend="add a Backup of the MariaDB operator, or a CronJob that dumps it",
    severity=Severity.MEDIUM,
    tags=("operations", "data"),
    reads={
        _DATABASE: ("metadata",),
        **dict.fromkeys((*_BACKUPS, _CRON_JOB), ("metadata", "spec")),
    },
    judge=_undumped,
)


def _unsaved(stack: Stack, config: Config) -> Iterator[Verdict]:
    del config
    commands = stack.of(*_COMMANDS)
    if any(_says(one, _SNAPSHOT) for one in (*commands, *stack.of(_CRON_JOB))):
        return
    for one in commands:
        if _INIT.search(string(one.props, "create")):
            yield Fault(one, "builds a control plane, and nothing in the stack saves its etcd")
            return


ETCD_WITHOUT_BACKUP: Final = StackRule(
    id="etcd-without-backup",
    description="A control plane that the stack builds has its etcd saved.",
    why="etcd is the cluster: without a snapshot its disks take every object with them.",
    mend="add a job that runs `etcdctl snapshot save` and takes the file elsewhere",
    severity=Severity.MEDIUM,
    tags=("operations", "data"),
    reads={
        **dict.fromkeys(_COMMANDS, ("create", "update")),
        _CRON_JOB: ("metadata", "spec"),
    },
    judge=_unsaved,
)
