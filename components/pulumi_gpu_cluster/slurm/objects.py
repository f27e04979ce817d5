"""The Slinky operator's objects, one function per kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from pulumi_gpu_cluster.catalog.versions import (
    SLURM_LOG_IMAGE,
    SLURM_LOGIN_IMAGE,
    SLURMCTLD_IMAGE,
    SLURMDBD_IMAGE,
    SLURMRESTD_IMAGE,
)
from pulumi_gpu_cluster.slurm.args import LoginArgs
from pulumi_gpu_cluster.slurm.names import (
    ACCOUNTING_TOKEN,
    CLUSTER,
    DATABASE,
    DATABASE_NAME,
    DATABASE_PASSWORDS,
    DATABASE_USER,
    JWT_KEY,
    SLURM_KEY,
    SSSD_CONF,
)

_API: Final = "slinky.slurm.net/v1beta1"
_KEYS: Final[Mapping[str, Any]] = {
    "slurmKeyRef": {"name": SLURM_KEY, "key": "slurm.key"},
    "jwtKeyRef": {"name": JWT_KEY, "key": "jwt.key"},
}
_CONTROLLER: Final[Mapping[str, Any]] = {"controllerRef": {"name": CLUSTER}}
_STATE_SIZE: Final = "4Gi"
# Renewed by the operator when a fifth is left: a job always has hours.
_TOKEN_LIFETIME: Final = "24h0m0s"  # noqa: S105 - a span of time


def accounting(name: str, namespace: str, opts: pulumi.ResourceOptions) -> CustomResource:
    """The slurmdbd, before the database."""
    spec = {
        **_KEYS,
        "slurmdbd": {"image": SLURMDBD_IMAGE, "resources": _resources("500m", "1Gi", "4Gi")},
        "storageConfig": {
            "host": DATABASE,
            "port": 3306,
            "database": DATABASE_NAME,
            "username": DATABASE_USER,
            "passwordKeyRef": {"name": DATABASE_PASSWORDS, "key": "password"},
        },
    }
    return slinky_object(name, "Accounting", CLUSTER, namespace=namespace, spec=spec, opts=opts)


def controller(
    name: str,
    namespace: str,
    *,
    cluster_name: str,
    settings: str,
    files: pulumi.Input[str],
    storage_class: str | None,
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    """The slurmctld.

    Args:
        name: Name of the resource.
        namespace: Its namespace.
        cluster_name: Slurm's name of the cluster.
        settings: Our part of slurm.conf.
        files: Name of the ConfigMap with the files beside it.
        storage_class: Class of the volume with its state; None for the cluster's own.
        opts: Options of the resource.
    """
    persistence: dict[str, Any] = {
        "enabled": True,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": _STATE_SIZE}},
    }
    if storage_class is not None:
        persistence["storageClassName"] = storage_class
    spec = {
        **_KEYS,
        "clusterName": cluster_name,
        "accountingRef": {"name": CLUSTER},
        "slurmctld": {"image": SLURMCTLD_IMAGE, "resources": _resources("1", "2Gi", "8Gi")},
        "logfile": {"image": SLURM_LOG_IMAGE},
        # A tenant more must not restart the controller.
        "inplaceReconfigure": True,
        "reconfigure": {"image": SLURMCTLD_IMAGE},
        "persistence": persistence,
        "extraConf": settings,
        "configFileRefs": [{"name": files}],
        "metrics": {"enabled": True},
    }
    return slinky_object(name, "Controller", CLUSTER, namespace=namespace, spec=spec, opts=opts)


def rest_api(name: str, namespace: str, opts: pulumi.ResourceOptions) -> CustomResource:
    """The slurmrestd, by which the operator itself speaks to Slurm when it drains nodes."""
    spec = {
        **_CONTROLLER,
        "slurmrestd": {"image": SLURMRESTD_IMAGE, "resources": _resources("500m", "1Gi", "4Gi")},
    }
    return slinky_object(name, "RestApi", CLUSTER, namespace=namespace, spec=spec, opts=opts)


def login_set(
    name: str, namespace: str, args: LoginArgs, opts: pulumi.ResourceOptions
) -> CustomResource:
    """Pods to log in to."""
    spec = {
        **_CONTROLLER,
        "replicas": args.replicas,
        "login": {"image": SLURM_LOGIN_IMAGE, "resources": _resources("1", "2Gi", "8Gi")},
        "initconf": {"image": SLURM_LOG_IMAGE},
        "rootSshAuthorizedKeys": "".join(f"{key}\n" for key in args.ssh_keys),
        "sssdConfRef": {"name": SSSD_CONF, "key": "sssd.conf"},
        "service": {"spec": {"type": args.service}},
    }
    return slinky_object(name, "LoginSet", CLUSTER, namespace=namespace, spec=spec, opts=opts)


def accounting_token(name: str, namespace: str, opts: pulumi.ResourceOptions) -> CustomResource:
    """A token with which a program may change accounting, and that is no key of the cluster."""
    spec = {
        "jwtKeyRef": _KEYS["jwtKeyRef"],
        "username": "slurm",
        "lifetime": _TOKEN_LIFETIME,
        "secretRef": {"name": ACCOUNTING_TOKEN, "key": "SLURM_JWT"},
    }
    return slinky_object(name, "Token", ACCOUNTING_TOKEN, namespace=namespace, spec=spec, opts=opts)


def slinky_object(
    name: str,
    kind: str,
    object_name: str,
    *,
    namespace: str,
    spec: Mapping[str, Any],
    opts: pulumi.ResourceOptions,
) -> CustomResource:
    """An object of the operator's."""
    return CustomResource(
        name,
        api_version=_API,
        kind=kind,
        metadata={"name": object_name, "namespace": namespace},
        spec=dict(spec),
        opts=opts,
    )


def _resources(cpu: str, memory: str, most: str) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": most}}
