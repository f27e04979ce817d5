"""Design rules of monitoring: alerts that nobody would hear, and metrics that nobody would have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pulumi_gpu_cluster.monitoring.alertmanager import NOBODY
from pulumi_gpu_cluster.rule import ERROR, WARNING, Case, Fault, Rule, rule
from pulumi_gpu_cluster.secret import CONFIG_KEY

_HERE: Final = "site.monitoring"


@rule(WARNING)
def nobody_hears_alerts(case: Case) -> Iterator[Fault]:
    """Alerts fire, and there is nobody to hear them."""
    monitoring = case.site.monitoring
    if monitoring is not None and not monitoring.receivers:
        message = "is empty: alerts fire, and nobody hears them"
        fix = "add a receiver, for example {name: oncall, email: [gpu-team@example.org]}"
        yield Fault(f"{_HERE}.receivers", message, fix)


@rule(ERROR, waivable=False)
def receiver_unknown(case: Case) -> Iterator[Fault]:
    """Alerts are sent to a receiver that does not exist."""
    monitoring = case.site.monitoring
    known = {one.name for one in monitoring.receivers} if monitoring is not None else set[str]()
    for path, name in _named(case):
        if name not in known:
            message = f"{name} is no receiver of monitoring.receivers"
            fix = f"write one of {', '.join(sorted(known))}" if known else "add the receiver there"
            yield Fault(path, message, fix)


@rule(ERROR, waivable=False)
def receiver_twice(case: Case) -> Iterator[Fault]:
    """Two receivers have the same name, or one has a name that is taken."""
    first: dict[str, int] = {}
    for index, receiver in _receivers(case):
        before = first.setdefault(receiver, index)
        path = f"{_HERE}.receivers[{index}].name"
        if before != index:
            message = f"{receiver} is the name of {_HERE}.receivers[{before}] too"
            yield Fault(path, message, "give it another name, or put both ways into one receiver")
        elif receiver == NOBODY:
            yield Fault(path, f"{receiver} is who hears nothing", "give it another name")


@rule(ERROR, waivable=False)
def receiver_without_way(case: Case) -> Iterator[Fault]:
    """There is no way to a receiver."""
    monitoring = case.site.monitoring
    for index, receiver in enumerate(monitoring.receivers if monitoring is not None else ()):
        path = f"{_HERE}.receivers[{index}]"
        if not receiver.is_reachable:
            fix = "add email, slack, pagerduty or webhook"
            yield Fault(path, f"there is no way to reach {receiver.name}", fix)
        if receiver.email and monitoring is not None and monitoring.smtp is None:
            message = "mail needs a mail server, and monitoring.smtp is missing"
            fix = "add smtp: {host: mail.example.org:587, sender: gpu-cluster@example.org}"
            yield Fault(f"{path}.email", message, fix)


@rule(ERROR, waivable=False)
def smtp_login_incomplete(case: Case) -> Iterator[Fault]:
    """A mail account has a user without a password, or a password without a user."""
    smtp = case.site.monitoring.smtp if case.site.monitoring is not None else None
    if smtp is not None and (smtp.user is None) != (smtp.password is None):
        if smtp.user is None:
            message = "is missing, and its password stands there"
            yield Fault(f"{_HERE}.smtp.user", message, "add the user, or remove the password")
        else:
            key = f"{CONFIG_KEY}.monitoring.smtp.password"
            fix = f"set it by pulumi config set --secret --path '{key}'"
            yield Fault(f"{_HERE}.smtp.password", "is missing, and the user stands there", fix)


@rule(WARNING)
def receiver_unheard(case: Case) -> Iterator[Fault]:
    """A receiver hears nothing, for neither a route nor a tenant names it."""
    monitoring = case.site.monitoring
    if monitoring is None:
        return
    # The first one hears what nobody else is named for.
    heard = {NOBODY, *monitoring.heard_by.values(), *(name for _, name in _named(case))}
    for index, receiver in enumerate(monitoring.receivers):
        if receiver.name not in heard:
            message = f"no route and no tenant's contact names {receiver.name}, so it hears nothing"
            fix = f"add it, for example routes: {{critical: {receiver.name}}}, or remove it"
            yield Fault(f"{_HERE}.receivers[{index}].name", message, fix)


@rule(WARNING)
def metrics_not_kept(case: Case) -> Iterator[Fault]:
    """Metrics are to be kept for a time, and lie on no disk."""
    monitoring = case.site.monitoring
    if monitoring is not None and monitoring.volume is None:
        message = (
            f"is missing: metrics are to be kept for {monitoring.retention}, and are lost with "
            "the pod that holds them"
        )
        fix = "add volume: 200Gi, or {size: 200Gi, storage_class: <a class>}"
        yield Fault(f"{_HERE}.volume", message, fix)


@rule(WARNING)
def gpu_metrics_off(case: Case) -> Iterator[Fault]:
    """GPUs are to be watched, and nothing exports their metrics."""
    site = case.site
    if site.monitoring is None or site.gpu_operator.dcgm_exporter:
        return
    if any(pool.gpu is not None for pool in site.node_pools):
        message = "is off: no alert on a GPU can fire, and its node is reported as silent"
        yield Fault("site.gpu_operator.dcgm_exporter", message, "remove it, or write true")


RULES: Final[tuple[Rule, ...]] = (
    nobody_hears_alerts,
    receiver_unknown,
    receiver_twice,
    receiver_without_way,
    smtp_login_incomplete,
    receiver_unheard,
    metrics_not_kept,
    gpu_metrics_off,
)


def _receivers(case: Case) -> Iterator[tuple[int, str]]:
    monitoring = case.site.monitoring
    if monitoring is not None:
        yield from enumerate(one.name for one in monitoring.receivers)


def _named(case: Case) -> Iterator[tuple[str, str]]:
    """Every place that names a receiver."""
    monitoring = case.site.monitoring
    if monitoring is not None:
        for severity in ("critical", "warning", "info"):
            name: str | None = getattr(monitoring.routes, severity)
            if name is not None:
                yield f"{_HERE}.routes.{severity}", name
    for index, tenant in enumerate(case.site.tenants):
        if tenant.contact is not None:
            yield f"site.tenants[{index}].contact", tenant.contact
