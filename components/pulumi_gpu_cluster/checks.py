"""Every design rule, in one list, and how a whole site is judged by them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pulumi_gpu_cluster import site_rules
from pulumi_gpu_cluster.accept import accepted
from pulumi_gpu_cluster.control_plane import rules as control_plane_rules
from pulumi_gpu_cluster.findings import Finding, Severity
from pulumi_gpu_cluster.gpu_operator import (
    cuda_rules,
    driver_module_rules,
    driver_rules,
    driver_source_rules,
    gpu_facts_rules,
    mig_rules,
    own_layout_rules,
    sharing_rules,
    toolkit_rules,
    upgrade_rules,
)
from pulumi_gpu_cluster.hosts import rules as host_rules
from pulumi_gpu_cluster.monitoring import rules as monitoring_rules
from pulumi_gpu_cluster.network import cni_rules, fabric_rules, pod_range_rules
from pulumi_gpu_cluster.node_pools import label_rules
from pulumi_gpu_cluster.node_pools import rules as pool_rules
from pulumi_gpu_cluster.rule import Case, Rule
from pulumi_gpu_cluster.scheduling import rules as scheduler_rules
from pulumi_gpu_cluster.slurm import people_rules as slurm_people_rules
from pulumi_gpu_cluster.slurm import rules as slurm_rules
from pulumi_gpu_cluster.storage import rules as storage_rules
from pulumi_gpu_cluster.storage.beegfs import rules as beegfs_rules
from pulumi_gpu_cluster.storage.ceph import rules as ceph_rules
from pulumi_gpu_cluster.tenancy import quota_rules, share_name_rules
from pulumi_gpu_cluster.tenancy import rules as tenant_rules
from pulumi_gpu_cluster.workloads import rules as workload_rules

if TYPE_CHECKING:
    from pulumi_gpu_cluster.site import Site

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.id: rule
        for rule in (
            *site_rules.RULES,
            *control_plane_rules.RULES,
            *host_rules.RULES,
            *pool_rules.RULES,
            *label_rules.RULES,
            *driver_rules.RULES,
            *driver_source_rules.RULES,
            *driver_module_rules.RULES,
            *toolkit_rules.RULES,
            *cuda_rules.RULES,
            *upgrade_rules.RULES,
            *gpu_facts_rules.RULES,
            *mig_rules.RULES,
            *own_layout_rules.RULES,
            *sharing_rules.RULES,
            *cni_rules.RULES,
            *pod_range_rules.RULES,
            *fabric_rules.RULES,
            *scheduler_rules.RULES,
            *monitoring_rules.RULES,
            *slurm_rules.RULES,
            *slurm_people_rules.RULES,
            *ceph_rules.RULES,
            *beegfs_rules.RULES,
            *storage_rules.RULES,
            *tenant_rules.RULES,
            *quota_rules.RULES,
            *share_name_rules.RULES,
            *workload_rules.RULES,
        )
    }
)
"""Every rule by its id, in the order in which findings are told."""


def check(site: Site, as_of: dt.date) -> tuple[Finding, ...]:
    """Judges a site by every rule.

    Args:
        site: The site.
        as_of: The day that rules with a date judge by.

    Returns:
        What is left after the site's waivers, errors first.
    """
    case = Case(site, as_of)
    found = [finding for rule in RULES.values() for finding in rule.findings(case)]
    left = accepted(site.accept, found, RULES, as_of)
    return tuple(sorted(left, key=lambda finding: finding.severity is not Severity.ERROR))
