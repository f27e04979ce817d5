"""Jobs that bring the accounting database to a list, with the rights of one token."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_kubernetes.batch.v1 import Job

from pulumi_gpu_cluster.catalog.versions import SLURM_LOGIN_IMAGE
from pulumi_gpu_cluster.slurm.names import ACCOUNTING_TOKEN
from pulumi_gpu_cluster.slurm.script_job import ScriptPod, script, script_job
from pulumi_gpu_cluster.slurm.slurm_conf import client_settings

_SCRIPT: Final = "accounting.sh"
# source: SlinkyProject/slurm-operator v1.2.1 internal/builder/common/const.go: SlurmUserUid
_SLURM_USER: Final = 401


def accounting_script() -> str:
    """The script, as it runs in the pod."""
    return script(_SCRIPT)


def accounting_job(
    name: str,
    job_name: str,
    *,
    namespace: str,
    cluster_name: str,
    wanted: str,
    opts: pulumi.ResourceOptions,
) -> Job:
    """A Job that ends when the database holds what is wanted.

    The database answers a real question before anything is changed: that its pod is ready says
    nothing of that.

    Args:
        name: Name of the resource.
        job_name: First part of the Job's name.
        namespace: Its namespace, where the Secret of the token is.
        cluster_name: Slurm's name of the cluster.
        wanted: The list that accounting.sh reads.
        opts: Options of the resources.
    """
    pod = ScriptPod(
        name="accounting",
        image=SLURM_LOGIN_IMAGE,
        user=_SLURM_USER,
        files={
            _SCRIPT: accounting_script(),
            "slurm.conf": client_settings(cluster_name),
            "list": wanted,
        },
        arguments=["list"],
        variables={"SLURM_CONF": "/etc/accounting/slurm.conf"},
        secrets={"SLURM_JWT": (ACCOUNTING_TOKEN, "SLURM_JWT")},
    )
    return script_job(name, job_name, pod, namespace=namespace, opts=opts)
