"""A Job that tries the database's passwords before Slurm does."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.batch.v1 import Job

from pulumi_gpu_cluster.catalog.versions import MARIADB_IMAGE
from pulumi_gpu_cluster.slurm.names import (
    DATABASE,
    DATABASE_NAME,
    DATABASE_PASSWORDS,
    DATABASE_USER,
)
from pulumi_gpu_cluster.slurm.script_job import ScriptPod, script, script_job

_SCRIPT: Final = "login.sh"
# source: MariaDB/mariadb-docker, Dockerfile of the official image: user mysql
_MYSQL_USER: Final = 999

LOGIN_VARIABLES: Final = {
    "HOST": DATABASE,
    "SECRET": DATABASE_PASSWORDS,
    "DATABASE": DATABASE_NAME,
    "DATABASE_USER": DATABASE_USER,
}
"""What the script is told beside the passwords."""


def login_script() -> str:
    """The script, as it runs in the pod."""
    return script(_SCRIPT)


def login_job(name: str, *, namespace: str, opts: pulumi.ResourceOptions) -> Job:
    """A Job that ends once the database takes both passwords and its user has all rights.

    It does not wait for the database's object to be ready, which it never becomes on a volume
    that was made with other passwords; so it is the one that says why. The operator lets root in
    from every pod (source: mariadb-operator v26.6.0 pkg/builder: MARIADB_ROOT_HOST).

    Args:
        name: Name of the resource.
        namespace: Its namespace, where the Secret of the passwords is.
        opts: Options of the resources.
    """
    pod = ScriptPod(
        name="login",
        image=MARIADB_IMAGE,
        user=_MYSQL_USER,
        files={_SCRIPT: login_script()},
        arguments=[],
        variables=LOGIN_VARIABLES,
        secrets={
            "ROOT_PASSWORD": (DATABASE_PASSWORDS, "root-password"),
            "PASSWORD": (DATABASE_PASSWORDS, "password"),
        },
    )
    return script_job(name, f"{DATABASE}-login", pod, namespace=namespace, opts=opts)
