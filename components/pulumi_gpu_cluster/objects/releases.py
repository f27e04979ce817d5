"""Third-party charts as Helm releases: their charts need Helm's own hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pulumi
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

from pulumi_gpu_cluster.catalog.charts import Chart, merged_values
from pulumi_gpu_cluster.charts import ChartsArgs, locate
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import PLATFORM
from pulumi_gpu_cluster.objects.namespaces import namespace as make_namespace
from pulumi_gpu_cluster.paths import from_project

KEEP_CRDS_COMMAND: Final = "gpu-cluster-keep-crds"
"""Post-renderer that marks CRDs as to be kept. Helm runs it without arguments, so it is a
command of its own; a bare name, because a path would differ from machine to machine."""

# Pulling images onto fresh nodes over a site's own line takes its time; the five minutes that
# Helm waits by default leave half a release behind.
_TIMEOUT_SECONDS: Final = 1800
# Every revision is a Secret that holds the whole chart.
_REVISIONS: Final = 5


def helm_release(
    name: str,
    chart: Chart,
    *,
    source: ChartsArgs,
    namespace: pulumi.Input[str],
    values: Mapping[str, Any],
    keep_crds: bool,
    opts: pulumi.ResourceOptions,
) -> Release:
    """One chart, installed under its own name at its pinned version.

    A first install that fails is taken back, and a failed upgrade rolled back: otherwise a
    release stays in the cluster that the state knows nothing of, and its name is taken.

    Where the chart's CRDs have a chart of their own, that is installed before it, under
    `<name>-crds`. A switch behind which CRDs lie is turned on here, whatever the values say.

    Args:
        name: Name of the resource.
        chart: The chart, as the catalogue has it.
        source: Where this site's charts come from.
        namespace: Namespace of the release, which exists.
        values: What differs from the chart's own values.
        keep_crds: Whether the chart's CRDs, and with them users' objects, outlive the release.
        opts: Options of the resource.
    """
    if chart.crds_chart is not None:
        crds = helm_release(
            f"{name}-crds",
            chart.crds_chart,
            source=source,
            namespace=namespace,
            values={},
            keep_crds=keep_crds,
            opts=opts,
        )
        opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[crds]))
    location = locate(source, chart, folder=Path(from_project(source.path or ".")))
    return Release(
        name,
        name=chart.name,
        chart=location.chart,
        repository_opts=(
            RepositoryOptsArgs(repo=location.repository) if location.repository else None
        ),
        version=chart.version,
        namespace=namespace,
        create_namespace=False,
        values=merged_values(values, chart.crd_values(keep=keep_crds)),
        atomic=True,
        cleanup_on_fail=True,
        timeout=_TIMEOUT_SECONDS,
        max_history=_REVISIONS,
        postrender=KEEP_CRDS_COMMAND if keep_crds and chart.needs_keep_policy else None,
        opts=opts,
    )


def platform_release(
    parent: KubernetesComponent,
    name: str,
    chart: Chart,
    *,
    source: ChartsArgs | None,
    namespace: str,
    values: Mapping[str, Any],
    delete_crds: bool,
    needs: Callable[[pulumi.ResourceOptions], Sequence[pulumi.Resource]] | None = None,
) -> Release:
    """A chart of the platform's, in a namespace of its own that is there before it.

    Args:
        parent: The component it is part of.
        name: Name of that component, first part of the names of both resources.
        chart: The chart, as the catalogue has it.
        source: Where this site's charts come from; by default upstream.
        namespace: Name of the namespace.
        values: What differs from the chart's own values.
        delete_crds: Whether the chart's CRDs, and with them users' objects, go with it.
        needs: Makes what the chart's pods find in the namespace, with the options that it is
            given. A pod that waits for a secret holds the release up until it gives up.
    """
    home = make_namespace(f"{name}-namespace", namespace, PLATFORM, parent.child())
    found = needs(parent.child(after=[home])) if needs is not None else ()
    return helm_release(
        f"{name}-release",
        chart,
        source=source or ChartsArgs(),
        namespace=namespace,
        values=values,
        keep_crds=not delete_crds,
        opts=parent.child(after=[home, *found]),
    )
