"""The site file's section on the control plane."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, cast

from pydantic import Field, SecretStr, model_validator

from pulumi_gpu_cluster.hostlist import expand
from pulumi_gpu_cluster.hosts.args import Address
from pulumi_gpu_cluster.secret import Generated, Given
from pulumi_gpu_cluster.section import KUBERNETES_VERSION, Hostlist, Section, Text


class Rke2Args(Section):
    """What RKE2 alone needs."""

    token: Annotated[SecretStr | None, Generated("password")] = None
    """What every server and agent joins with. It also encrypts the keys in etcd, so that a
    snapshot is worth nothing without it."""


def _keys(raw: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", raw) if isinstance(raw, Mapping) else {}


class ControlPlaneArgs(Section):
    """Where the cluster's API server is, who makes it, and how we get in."""

    kind: Literal["existing", "kubeadm", "rke2"] = "existing"
    """`existing`: a cluster that somebody else made and keeps. `kubeadm`, `rke2`: made over SSH
    on `hosts`. These two are read and checked, but not built yet: `pulumi up` refuses them."""

    version: Annotated[str, Field(pattern=KUBERNETES_VERSION)]
    """The Kubernetes version: 1.36.3, and v1.36.3+rke2r1 with RKE2, whose own revision it
    names. With `existing`, the one that runs there."""

    endpoint: Address | None = None
    """Address of the API servers together: a virtual IP, a load balancer's, or a DNS name. All
    certificates and kubeconfigs carry it, so it is needed even for one host and never changes.
    Not with `existing`."""

    hosts: Hostlist | None = None
    """The hosts of the control plane as a hostlist, for example cp[1-3]; an odd number. Not with
    `existing`."""

    rke2: Rke2Args | None = None
    """What RKE2 alone needs; there by itself with that kind."""

    kubeconfig: Annotated[
        SecretStr | None, Given("the kubeconfig of an administrator of the cluster", needed=False)
    ] = None
    """The kubeconfig itself, as a secret: `pulumi config set --secret --path
    gpu-cluster:site.control_plane.kubeconfig`. Only with `existing`; excludes
    `kubeconfig_file`."""

    kubeconfig_file: Text | None = None
    """Path of a kubeconfig on the machine that runs Pulumi; its content stays out of the
    state. Relative to the folder of Pulumi.yaml. Only with `existing`; excludes `kubeconfig`."""

    context: Text | None = None
    """The kubeconfig's context to use; by default its current one. Only with `existing`."""

    @model_validator(mode="before")
    @classmethod
    def _with_the_kinds_own_section(cls, raw: object) -> object:
        """Its secrets are needed wherever the kind is, written or not."""
        given = _keys(raw)
        return {"rke2": {}, **given} if given.get("kind") == "rke2" else raw

    @property
    def is_built(self) -> bool:
        """Whether the site makes its control plane itself, over SSH."""
        return self.kind != "existing"

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """Names of the control plane's hosts; none where it exists already."""
        return expand(self.hosts) if self.hosts is not None else ()

    @property
    def kubernetes_version(self) -> str:
        """The version of Kubernetes alone: 1.36.3."""
        return self.version.removeprefix("v").partition("+")[0]
