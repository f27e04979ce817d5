"""Certificates in a cluster."""

from __future__ import annotations

import pulumi_gpu_cluster as parts
from pulumi_gpu_cluster.certificates.args import CertificatesArgs
from pulumi_gpu_cluster.composition import Composition


def certificates(cluster: Composition) -> list[parts.CertManager]:
    """cert-manager; none where the cluster has it, or where nothing needs it."""
    site = cluster.site
    args = site.certificates or CertificatesArgs()
    if args.manager == "existing" or (site.certificates is None and site.slurm is None):
        return []
    return [
        parts.CertManager(
            cluster.named("cert-manager"),
            args,
            charts=site.charts,
            delete_crds=site.gives_up_crds,
            opts=cluster.inside(),
        )
    ]
