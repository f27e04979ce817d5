"""Jobs that run one script of ours, with nothing but what they are given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

_DEADLINE_SECONDS: Final = 1800
_TIMEOUT: Final = "35m"


def script(name: str) -> str:
    """A script of this package, as it runs in a pod."""
    return resources.files("pulumi_gpu_cluster.slurm").joinpath(name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class ScriptPod:
    """The one container of a Job, and what it has.

    Attributes:
        name: Name of the container, and of the folder below /etc that holds the files.
        image: Its image.
        user: The user and group that it runs as.
        files: What lies in the folder, by name; the first is the script.
        arguments: Names of files that the script is given as its arguments.
        variables: What it is told, by the variable's name.
        secrets: Secret and key of each variable that is not to be seen, by the variable's name.
    """

    name: str
    image: str
    user: int
    files: Mapping[str, str]
    arguments: Sequence[str]
    variables: Mapping[str, str]
    secrets: Mapping[str, tuple[str, str]]

    @property
    def folder(self) -> str:
        """Where the files lie in the container."""
        return f"/etc/{self.name}"

    @property
    def digest(self) -> str:
        """What tells two contents apart, in ten letters."""
        content = "\0".join([self.image, *self.files.values()])
        return hashlib.sha256(content.encode()).hexdigest()[:10]


def script_job(
    name: str,
    job_name: str,
    pod: ScriptPod,
    *,
    namespace: str,
    opts: pulumi.ResourceOptions,
) -> Job:
    """A Job that ends when its script has.

    Its name tells its content, so that another content is another Job and the same one none.

    Args:
        name: Name of the resource.
        job_name: First part of the Job's name.
        pod: What it runs.
        namespace: Its namespace, where the Secrets are.
        opts: Options of the resources.
    """
    metadata = ObjectMetaArgs(name=f"{job_name}-{pod.digest}", namespace=namespace)
    config = ConfigMap(f"{name}-list", metadata=metadata, data=dict(pod.files), opts=opts)
    return Job(
        name,
        metadata=metadata,
        spec=JobSpecArgs(
            active_deadline_seconds=_DEADLINE_SECONDS,
            backoff_limit=3,
            template=PodTemplateSpecArgs(spec=_spec(pod, f"{job_name}-{pod.digest}")),
        ),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=[config], custom_timeouts=pulumi.CustomTimeouts(create=_TIMEOUT)
            ),
        ),
    )


def _spec(pod: ScriptPod, config_name: str) -> PodSpecArgs:
    """A pod without rights on the cluster."""
    return PodSpecArgs(
        restart_policy="Never",
        automount_service_account_token=False,
        enable_service_links=False,
        security_context=PodSecurityContextArgs(
            run_as_non_root=True,
            run_as_user=pod.user,
            run_as_group=pod.user,
            seccomp_profile=SeccompProfileArgs(type="RuntimeDefault"),
        ),
        containers=[
            ContainerArgs(
                name=pod.name,
                image=pod.image,
                command=[
                    "/bin/bash",
                    *(f"{pod.folder}/{file}" for file in (next(iter(pod.files)), *pod.arguments)),
                ],
                env=[
                    *(EnvVarArgs(name=key, value=value) for key, value in pod.variables.items()),
                    *(_secret(variable, *where) for variable, where in pod.secrets.items()),
                ],
                resources=ResourceRequirementsArgs(
                    requests={"cpu": "100m", "memory": "128Mi"}, limits={"memory": "512Mi"}
                ),
                security_context=SecurityContextArgs(
                    allow_privilege_escalation=False,
                    read_only_root_filesystem=True,
                    capabilities=CapabilitiesArgs(drop=["ALL"]),
                ),
                volume_mounts=[
                    VolumeMountArgs(name="files", mount_path=pod.folder, read_only=True)
                ],
            )
        ],
        volumes=[VolumeArgs(name="files", config_map=ConfigMapVolumeSourceArgs(name=config_name))],
    )


def _secret(variable: str, secret_name: str, key: str) -> EnvVarArgs:
    reference = SecretKeySelectorArgs(name=secret_name, key=key)
    return EnvVarArgs(name=variable, value_from=EnvVarSourceArgs(secret_key_ref=reference))
