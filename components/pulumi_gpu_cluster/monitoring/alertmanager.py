"""Alertmanager's configuration: who hears which alert, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import SecretStr

from pulumi_gpu_cluster.monitoring.args import MonitoringArgs, ReceiverArgs, SmtpArgs
from pulumi_gpu_cluster.tenancy.args import TenantArgs

NOBODY: Final = "nobody"
"""The receiver of what nobody is to hear."""


def contacts(tenants: Iterable[TenantArgs]) -> dict[str, str]:
    """The receiver of each tenant that has one."""
    return {
        tenant.name: tenant.contact
        for tenant in tenants
        if tenant.contact is not None and tenant.state != "removed"
    }


def alertmanager_config(args: MonitoringArgs, contact: Mapping[str, str]) -> dict[str, Any]:
    """The configuration, with the secrets in it.

    Args:
        args: The site file's section.
        contact: Receiver of the alerts about a tenant, by the tenant's name.
    """
    return {
        "global": {"resolve_timeout": "5m", **(_smtp(args.smtp) if args.smtp else {})},
        "route": {
            "receiver": NOBODY,
            "group_by": ["alertname", "namespace", "tenant"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            "routes": [*_tenant_routes(contact), *_severity_routes(args)],
        },
        "inhibit_rules": [
            # One alert per trouble: the worse one, and the cause before what follows from it.
            _silences(
                'severity = "critical"', 'severity =~ "warning|info"', "alertname", "namespace"
            ),
            _silences('alertname = "GpuXidFatal"', 'alertname = "NodeFaulty"', "node"),
            _silences('alertname = "NodeNotReady"', 'alertname = "GpuMetricsMissing"', "node"),
        ],
        "receivers": [{"name": NOBODY}, *(_receiver(one) for one in args.receivers)],
    }


def _tenant_routes(contact: Mapping[str, str]) -> list[dict[str, Any]]:
    """What concerns one tenant goes to that tenant, and no further.

    Alerts of ours carry the tenant; those of the chart, on its pods and volumes, the namespace.
    """
    return [
        {"receiver": receiver, "matchers": [f'{label} = "{tenant}"']}
        for tenant, receiver in contact.items()
        for label in ("tenant", "namespace")
    ]


def _severity_routes(args: MonitoringArgs) -> list[dict[str, Any]]:
    return [
        {
            "receiver": receiver,
            "matchers": [f'severity = "{severity}"'],
            **({"repeat_interval": "4h"} if severity == "critical" else {}),
        }
        for severity, receiver in args.heard_by.items()
    ]


def _silences(source: str, target: str, *equal: str) -> dict[str, Any]:
    return {"source_matchers": [source], "target_matchers": [target], "equal": list(equal)}


def _smtp(smtp: SmtpArgs) -> dict[str, Any]:
    settings = {
        "smtp_smarthost": smtp.host,
        "smtp_from": smtp.sender,
        "smtp_require_tls": True,
    }
    if smtp.user is not None:
        settings["smtp_auth_username"] = smtp.user
        settings["smtp_auth_password"] = _opened(smtp.password)
    return settings


def _receiver(receiver: ReceiverArgs) -> dict[str, Any]:
    config: dict[str, Any] = {"name": receiver.name}
    told = {"send_resolved": True}
    if receiver.email:
        config["email_configs"] = [{"to": address, **told} for address in receiver.email]
    if receiver.slack is not None:
        slack = receiver.slack
        url = _opened(slack.url)
        config["slack_configs"] = [{"api_url": url, "channel": slack.channel, **told}]
    if receiver.pagerduty is not None:
        key = _opened(receiver.pagerduty.routing_key)
        config["pagerduty_configs"] = [{"routing_key": key, **told}]
    if receiver.webhook is not None:
        config["webhook_configs"] = [{"url": _opened(receiver.webhook.url), **told}]
    return config


def _opened(secret: SecretStr | None) -> str:
    return "" if secret is None else secret.get_secret_value()
