"""The database of Slurm's accounting: a MariaDB that its operator runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog.versions import MARIADB_IMAGE
from pulumi_gpu_cluster.quantity import text_of, value
from pulumi_gpu_cluster.slurm.args import DatabaseArgs
from pulumi_gpu_cluster.slurm.names import (
    DATABASE,
    DATABASE_NAME,
    DATABASE_PASSWORDS,
    DATABASE_USER,
)

_MIB: Final = 2**20
_TIMEOUT: Final = "30m"


def my_cnf(buffer_pool: str) -> str:
    """Settings that Slurm asks for: slurmdbd complains of less, and conversions of it fail.

    source: Slurm accounting.html, "Slurm Accounting Configuration Before Build".

    Args:
        buffer_pool: Memory in which InnoDB keeps pages.
    """
    return (
        "[mariadb]\n"
        f"innodb_buffer_pool_size={int(value(buffer_pool)) // _MIB}M\n"
        "innodb_log_file_size=1024M\n"
        "innodb_lock_wait_timeout=900\n"
        "max_allowed_packet=64M\n"
    )


def database(
    name: str,
    args: DatabaseArgs,
    *,
    namespace: str,
    storage_class: str | None,
    expendable: bool,
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    """The database, once it is ready, with Slurm's own database in it and all rights on that.

    It is protected and outlives the stack, as its volume does: passwords and volume belong
    together, and a new one of either finds the other shut.

    Args:
        name: Name of the resource.
        args: The site file's section.
        namespace: Its namespace, where the Secret of its passwords is.
        storage_class: Class of its volume; None for the cluster's own.
        expendable: Whether the site allows that its data goes.
        opts: Options of the resource.
    """
    keep = not expendable
    return CustomResource(
        name,
        api_version="k8s.mariadb.com/v1alpha1",
        kind="MariaDB",
        metadata={
            "name": DATABASE,
            "namespace": namespace,
            "annotations": {"pulumi.com/waitFor": "condition=Ready"},
        },
        spec=database_spec(args, storage_class, expendable=expendable),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                protect=keep,
                retain_on_delete=keep,
                custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT, update=_TIMEOUT),
            ),
        ),
    )


def database_spec(
    args: DatabaseArgs, storage_class: str | None, *, expendable: bool
) -> dict[str, Any]:
    """The object's spec. The operator gives the user it makes all rights on the database."""
    pool = value(args.buffer_pool)
    volume: dict[str, Any] = {
        "size": args.storage,
        "pvcRetentionPolicy": {
            "whenDeleted": "Delete" if expendable else "Retain",
            "whenScaled": "Retain",
        },
    }
    if storage_class is not None:
        volume["storageClassName"] = storage_class
    return {
        "image": MARIADB_IMAGE,
        "rootPasswordSecretKeyRef": {"name": DATABASE_PASSWORDS, "key": "root-password"},
        "database": DATABASE_NAME,
        "username": DATABASE_USER,
        "passwordSecretKeyRef": {"name": DATABASE_PASSWORDS, "key": "password"},
        # Deleting the object must not drop what is in it.
        "cleanupPolicy": "Delete" if expendable else "Skip",
        "myCnf": my_cnf(args.buffer_pool),
        "storage": volume,
        "resources": {
            "requests": {"cpu": "1", "memory": _memory(pool * Fraction(3, 2))},
            "limits": {"memory": _memory(pool * 2)},
        },
        # slurmdbd of Slurm's containers speaks without TLS inside the cluster.
        "tls": {"enabled": True, "required": False},
    }


def _memory(amount: Fraction) -> str:
    return text_of(Fraction(amount // _MIB * _MIB), binary=True)
