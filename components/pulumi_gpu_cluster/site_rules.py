"""Design rules of the whole: names, namespaces, charts, secrets, teardown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.platform_namespaces import platform_namespaces
from pulumi_gpu_cluster.reading.structure import dotted
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.secret import Generated, missing_secrets

# Keys of a tenant's quota that are no pools.
_QUOTA_KEYS: Final = ("cpu", "memory", "pods", "storage")
_SYSTEM_NAMESPACES: Final = ("default",)
_SYSTEM_PREFIX: Final = "kube-"
_ADDRESS: Final = re.compile(r"(oci|https?)://[^\s/]+(/\S*)?")
_CREDENTIALS: Final = re.compile(r"://[^/]*@|[?#]")


@rule(ERROR, waivable=False)
def name_taken(case: Case) -> Iterator[Fault]:
    """Two pools or two tenants have the same name."""
    for section in ("node_pools", "tenants"):
        first: dict[str, int] = {}
        for index, entry in enumerate(getattr(case.site, section)):
            before = first.setdefault(entry.name, index)
            if before != index:
                message = f"{entry.name} is the name of site.{section}[{before}] too"
                yield Fault(f"site.{section}[{index}].name", message, "give it another name")


@rule(ERROR, waivable=False)
def name_reserved(case: Case) -> Iterator[Fault]:
    """A pool or tenant has a name that means something else already."""
    for path, pool in case.each_pool():
        if pool.name in _QUOTA_KEYS:
            message = f"{pool.name} is a key of every tenant's quota"
            yield Fault(f"{path}.name", message, "give the pool another name")
    platform = {taken.name: taken.owner for taken in platform_namespaces(case.site)}
    for index, tenant in enumerate(case.site.tenants):
        owner = "Kubernetes" if _is_system(tenant.name) else platform.get(tenant.name)
        if owner is not None:
            message = f"{tenant.name} is a namespace of {owner}"
            yield Fault(f"site.tenants[{index}].name", message, "give the tenant another name")


@rule(ERROR, waivable=False)
def namespace_taken(case: Case) -> Iterator[Fault]:
    """An operator's namespace is Kubernetes' own, or that of another operator."""
    first: dict[str, str] = {}
    for taken in platform_namespaces(case.site):
        if _is_system(taken.name):
            fix = "leave it out, or write a name of its own"
            yield Fault(taken.path, f"{taken.name} belongs to Kubernetes", fix)
        owner = first.setdefault(taken.name, taken.owner)
        if owner != taken.owner:
            message = f"{taken.name} is {owner}'s namespace"
            yield Fault(taken.path, message, "leave it out, or write another one")


@rule(ERROR, waivable=False)
def charts_source(case: Case) -> Iterator[Fault]:
    """The source of charts lacks what it needs, or has what belongs to another source."""
    charts = case.site.charts
    for source, key, example in (
        ("mirror", "url", "oci://registry.example/charts"),
        ("directory", "path", "charts"),
    ):
        given: str | None = getattr(charts, key)
        if charts.source == source and given is None:
            message = f"is missing, and source: {source} needs it"
            yield Fault(f"site.charts.{key}", message, f"add it, for example {key}: {example}")
        elif charts.source != source and given is not None:
            message = f"belongs to source: {source}, and the source is {charts.source}"
            fix = f"write source: {source}, or remove it"
            yield Fault(f"site.charts.{key}", message, fix)
    if charts.url is not None and not _ADDRESS.fullmatch(charts.url):
        # Not repeated: who forgets the scheme may still have a password in it.
        fix = "write oci://registry/path for a registry, https://host/path for a chart repository"
        yield Fault("site.charts.url", "is no address of charts", fix)
    elif charts.url is not None and _CREDENTIALS.search(charts.url):
        message = "holds a user, password or token, which would lie open in the state"
        fix = "log in with helm registry login, and write the address without them"
        yield Fault("site.charts.url", message, fix)


@rule(ERROR, waivable=False)
def secret_missing(case: Case) -> Iterator[Fault]:
    """The site needs a secret that its stack file does not have."""
    for missing in missing_secrets(case.site):
        if isinstance(missing.mark, Generated):
            fix = f"make it by gpu-cluster secrets init -s {case.site.name}"
        else:
            fix = f"set it by pulumi config set --secret --path '{missing.config_path}'"
        yield Fault(dotted(missing.path), "is a secret that the stack file does not have yet", fix)


@rule(ERROR, waivable=False)
def teardown_unconfirmed(case: Case) -> Iterator[Fault]:
    """Destroying may take data with it, and the site's name does not stand beside that."""
    teardown = case.site.teardown
    if teardown is not None and teardown.confirm != case.site.name:
        message = f"{teardown.confirm!r} is not the site's name"
        fix = f"write confirm: {case.site.name} if its data may go, else remove teardown"
        yield Fault("site.teardown.confirm", message, fix)


@rule(WARNING)
def teardown_keeps_all(case: Case) -> Iterator[Fault]:
    """A teardown section allows nothing that is not allowed without it."""
    teardown = case.site.teardown
    if teardown is not None and teardown.data == teardown.crds == "keep":
        yield Fault("site.teardown", "lets nothing go, as without it", "remove it")


def _is_system(namespace: str) -> bool:
    return namespace in _SYSTEM_NAMESPACES or namespace.startswith(_SYSTEM_PREFIX)


RULES: Final[tuple[Rule, ...]] = (
    name_taken,
    name_reserved,
    namespace_taken,
    charts_source,
    secret_missing,
    teardown_unconfirmed,
    teardown_keeps_all,
)
