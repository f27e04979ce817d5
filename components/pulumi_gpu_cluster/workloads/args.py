"""The site file's section on services for the people who use the cluster."""

from __future__ import annotations

from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs


class WorkloadsArgs(Section):
    """Services for the people who use the cluster."""

    jupyterhub: JupyterHubArgs | None = None
    """Notebooks, with a hub for each tenant."""
