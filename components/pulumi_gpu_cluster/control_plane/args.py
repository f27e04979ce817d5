"""The site file's section on the control plane."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from pulumi_gpu_cluster.secret import Given
from pulumi_gpu_cluster.section import KUBERNETES_VERSION, Section, Text


class ControlPlaneArgs(Section):
    """Where the cluster's API server is, and how we get in."""

    kind: Literal["existing"] = "existing"
    """`existing`: a cluster that somebody else made and keeps. kubeadm and RKE2 over SSH follow."""

    version: Annotated[str, Field(pattern=KUBERNETES_VERSION)]
    """The Kubernetes version that runs there, for example 1.36.3."""

    kubeconfig: Annotated[
        SecretStr | None, Given("the kubeconfig of an administrator of the cluster", needed=False)
    ] = None
    """The kubeconfig itself, as a secret: `pulumi config set --secret --path
    gpu-cluster:site.control_plane.kubeconfig`. Excludes `kubeconfig_file`."""

    kubeconfig_file: Text | None = None
    """Path of a kubeconfig on the machine that runs Pulumi; its content stays out of the
    state. Relative to the folder of Pulumi.yaml. Excludes `kubeconfig`."""

    context: Text | None = None
    """The kubeconfig's context to use; by default its current one."""
