"""What a Pulumi program for a site begins with: the site, checked, or a clear end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pulumi

from pulumi_gpu_cluster.control_plane.unbuilt import unbuilt
from pulumi_gpu_cluster.findings import Finding, Severity, has_errors
from pulumi_gpu_cluster.gpu_operator.upgrade_order import operator_and_driver_at_once
from pulumi_gpu_cluster.last_outputs import last_outputs
from pulumi_gpu_cluster.operations.crds.left_behind import crds_behind
from pulumi_gpu_cluster.reading.loading import site_from_config
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.departures import departures, recorded_tenants

_NAMESPACE: Final = "gpu-cluster"
_KEY: Final = "site"


def checked_site() -> Site:
    """The site of the stack's configuration, once nothing is wrong with it.

    All findings are printed together, and nothing is registered before.

    Raises:
        pulumi.RunError: A finding is an error.
    """
    site, found = site_from_config(pulumi.Config(_NAMESPACE).get_object(_KEY))
    findings = list(found)
    if site is not None:
        refused = unbuilt(site.control_plane)
        findings += [refused] if refused is not None else []
        last = last_outputs()
        findings += departures(recorded_tenants(last), site)
        findings += crds_behind(last, site)
        findings += operator_and_driver_at_once(last, site)
    _print(findings)
    if site is None or has_errors(findings):
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        plural = "" if errors == 1 else "s"
        raise pulumi.RunError(f"the site file has {errors} error{plural}; nothing was changed")
    return site


def _print(findings: Iterable[Finding]) -> None:
    for finding in findings:
        # The engine writes the severity itself.
        text = str(finding).removeprefix(f"{finding.severity} ")
        if finding.severity is Severity.ERROR:
            pulumi.log.error(text)
        else:
            pulumi.log.warn(text)
