"""Jobs that bring the accounting database to a list, with the rights of one token."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import Final

import pulumi
from pulumi_kubernetes.batch.v1 import Job, JobSpecArgs
from pulumi_kubernetes.core.v1 import (
    CapabilitiesArgs,
    ConfigMap,
    ConfigMapVolumeSourceArgs,
    ContainerArgs,
    EnvVarArgs,
    EnvVarSourceArgs,
    PodSecurityContextArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    ResourceRequirementsArgs,
    SeccompProfileArgs,
    SecretKeySelectorArgs,
    SecurityContextArgs,
    VolumeArgs,
    VolumeMountArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.catalog.versions import SLURM_LOGIN_IMAGE
from pulumi_gpu_cluster.slurm.names import ACCOUNTING_TOKEN
from pulumi_gpu_cluster.slurm.slurm_conf import client_settings

_FOLDER: Final = "/etc/accounting"
_SCRIPT: Final = "accounting.sh"
# source: SlinkyProject/slurm-operator v1.2.1 internal/builder/common/const.go: SlurmUserUid
_SLURM_USER: Final = 401
_DEADLINE_SECONDS: Final = 1800
_TIMEOUT: Final = "35m"


def accounting_script() -> str:
    """The script, as it runs in the pod."""
    return resources.files("pulumi_gpu_cluster.slurm").joinpath(_SCRIPT).read_text("utf-8")


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

    Its name tells its content, so that another list is another Job and the same one none. The
    database answers a real question before anything is changed: that its pod is ready says
    nothing of that.

    Args:
        name: Name of the resource.
        job_name: First part of the Job's name.
        namespace: Its namespace, where the Secret of the token is.
        cluster_name: Slurm's name of the cluster.
        wanted: The list that accounting.sh reads.
        opts: Options of the resources.
    """
    files = {
        _SCRIPT: accounting_script(),
        "slurm.conf": client_settings(cluster_name),
        "list": wanted,
    }
    content = "\0".join([SLURM_LOGIN_IMAGE, *files.values()])
    own_name = f"{job_name}-{hashlib.sha256(content.encode()).hexdigest()[:10]}"
    config = ConfigMap(
        f"{name}-list",
        metadata=ObjectMetaArgs(name=own_name, namespace=namespace),
        data=files,
        opts=opts,
    )
    return Job(
        name,
        metadata=ObjectMetaArgs(name=own_name, namespace=namespace),
        spec=JobSpecArgs(
            active_deadline_seconds=_DEADLINE_SECONDS,
            backoff_limit=3,
            template=PodTemplateSpecArgs(spec=_pod(own_name)),
        ),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=[config], custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT)
            ),
        ),
    )


def _pod(config_name: str) -> PodSpecArgs:
    """A pod without rights on the cluster, and with one token of Slurm's."""
    return PodSpecArgs(
        restart_policy="Never",
        automount_service_account_token=False,
        enable_service_links=False,
        security_context=PodSecurityContextArgs(
            run_as_non_root=True,
            run_as_user=_SLURM_USER,
            run_as_group=_SLURM_USER,
            seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
        ),
        containers=[
            ContainerArgs(
                name="accounting",
                image=SLURM_LOGIN_IMAGE,
                command=["/bin/bash", f"{_FOLDER}/{_SCRIPT}", f"{_FOLDER}/list"],
                env=[
                    EnvVarArgs(name="SLURM_CONF", value=f"{_FOLDER}/slurm.conf"),
                    EnvVarArgs(name="SLURM_JWT", value_from=_token()),
                ],
                resources=ResourceRequirementsArgs(
                    requests={"cpu": "100m", "memory": "128Mi"}, limits={"memory": "512Mi"}
                ),
                security_context=SecurityContextArgs(
                    allow_privilege_escalation=False,
                    read_only_root_filesystem=True,
                    capabilities=CapabilitiesArgs(drop=["ALL"]),
                ),
                volume_mounts=[VolumeMountArgs(name="files", mount_path=_FOLDER, read_only=True)],
            )
        ],
        volumes=[VolumeArgs(name="files", config_map=ConfigMapVolumeSourceArgs(name=config_name))],
    )


def _token() -> EnvVarSourceArgs:
    return EnvVarSourceArgs(
        secret_key_ref=SecretKeySelectorArgs(name=ACCOUNTING_TOKEN, key="SLURM_JWT")
    )
