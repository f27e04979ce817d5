"""The site file's section on certificates inside the cluster."""

from __future__ import annotations

from typing import Literal

from pulumi_gpu_cluster.section import DnsLabel, Section


class CertificatesArgs(Section):
    """Who issues the certificates that operators' webhooks need.

    Without this section cert-manager is installed where something needs it.
    """

    manager: Literal["install", "existing"] = "install"
    """`install`: cert-manager comes with this stack. `existing`: the cluster has it already, of a
    release that serves cert-manager.io/v1."""

    namespace: DnsLabel = "cert-manager"
    """Namespace of cert-manager, where it is installed."""
