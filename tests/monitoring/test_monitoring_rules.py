"""Design rules of monitoring, with sites that hold and sites that do not."""

from __future__ import annotations

from typing import Any

import pytest
from made_site import judged, misshapen, places, tenant

SMTP = {"host": "mail.example.org:587", "sender": "gpus@example.org"}
ONCALL = {"name": "oncall", "email": ["oncall@example.org"]}
HERE = "site.monitoring"


def _monitoring(**changes: object) -> dict[str, Any]:
    """A section that no rule has anything against."""
    return {
        "volume": "200Gi",
        "smtp": SMTP,
        "receivers": [ONCALL],
        "grafana": {"admin_password": "JbG7vB1Sg5nQw2RtYu8i"},
        **changes,
    }


def _found(**changes: object) -> list[tuple[str, str]]:
    return places(judged(monitoring=_monitoring(**changes)))


def test_a_whole_section_holds_and_so_does_none() -> None:
    assert _found() == []
    assert judged() == ()


def test_alerts_that_nobody_hears_are_told() -> None:
    assert _found(receivers=[]) == [("nobody-hears-alerts", f"{HERE}.receivers")]


def test_a_route_leads_to_a_receiver_that_is_there() -> None:
    assert _found(routes={"info": "oncall"}) == []
    assert _found(routes={"info": "chat", "critical": "pager"}) == [
        ("receiver-unknown", f"{HERE}.routes.critical"),
        ("receiver-unknown", f"{HERE}.routes.info"),
    ]


def test_a_tenants_contact_is_a_receiver_of_the_site() -> None:
    team = [tenant(contact="oncall")]
    assert places(judged(monitoring=_monitoring(), tenants=team)) == []
    assert places(judged(tenants=team)) == [("receiver-unknown", "site.tenants[0].contact")]


def test_a_receiver_that_hears_nothing_is_told() -> None:
    lead = {**ONCALL, "name": "lead"}
    unheard = [("receiver-unheard", f"{HERE}.receivers[1].name")]
    assert _found(receivers=[ONCALL, lead]) == unheard, "the first hears what no route says"
    assert _found(receivers=[ONCALL, lead], routes={"info": "lead"}) == []
    assert _found(receivers=[lead, ONCALL], routes={"critical": "lead", "warning": "lead"}) == (
        unheard
    )
    both = _monitoring(receivers=[ONCALL, lead])
    assert places(judged(monitoring=both, tenants=[tenant(contact="lead")])) == []


def test_no_two_receivers_have_one_name_and_none_that_of_nobody() -> None:
    assert _found(receivers=[ONCALL, ONCALL]) == [("receiver-twice", f"{HERE}.receivers[1].name")]
    assert _found(receivers=[ONCALL, {**ONCALL, "name": "nobody"}]) == [
        ("receiver-twice", f"{HERE}.receivers[1].name")
    ]


def test_there_is_a_way_to_every_receiver() -> None:
    slack = {"name": "chat", "slack": {"url": "https://hook", "channel": "#gpus"}}
    assert _found(receivers=[slack], smtp=None) == []
    assert _found(receivers=[{"name": "chat"}]) == [
        ("receiver-without-way", f"{HERE}.receivers[0]")
    ]
    assert _found(smtp=None) == [("receiver-without-way", f"{HERE}.receivers[0].email")]


def test_a_mail_account_has_both_a_user_and_a_password() -> None:
    assert _found(smtp={**SMTP, "user": "gpus", "password": "secret"}) == []
    assert _found(smtp={**SMTP, "user": "gpus"}) == [
        ("smtp-login-incomplete", f"{HERE}.smtp.password")
    ]
    assert _found(smtp={**SMTP, "password": "secret"}) == [
        ("smtp-login-incomplete", f"{HERE}.smtp.user")
    ]


@pytest.mark.parametrize("password", ["prom-operator", "admin", "Admin", "strongpassword"])
def test_grafana_never_has_the_password_that_charts_come_with(password: str) -> None:
    (fault,) = misshapen(monitoring=_monitoring(grafana={"admin_password": password}))
    assert fault.path == f"{HERE}.grafana.admin_password"
    assert "secrets init" in str(fault)
    assert password not in str(fault).replace("admin_password", "")


def test_secrets_that_are_missing_are_named() -> None:
    hook: dict[str, object] = {"name": "chat", "webhook": {}, "pagerduty": {}}
    found = judged(monitoring=_monitoring(grafana={}, receivers=[hook]))
    assert places(found) == [
        ("secret-missing", f"{HERE}.receivers[0].pagerduty.routing_key"),
        ("secret-missing", f"{HERE}.receivers[0].webhook.url"),
        ("secret-missing", f"{HERE}.grafana.admin_password"),
    ]
    assert "secrets init" in found[-1].fix


def test_metrics_without_a_disk_are_told() -> None:
    assert _found(volume=None) == [("metrics-not-kept", f"{HERE}.volume")]


def test_gpu_alerts_without_an_exporter_are_told() -> None:
    off = judged(monitoring=_monitoring(), gpu_operator={"dcgm_exporter": False})
    assert places(off) == [("gpu-metrics-off", "site.gpu_operator.dcgm_exporter")]
    assert judged(gpu_operator={"dcgm_exporter": False}) == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gpu_temperature", 85),
        ("gpu_temperature", "185C"),
        ("gpu_temperature", "40C"),
        ("gpu_temperature", "85F"),
        ("retention", 30),
        ("retention", "30 days"),
        ("retention", "0d"),
        ("volume", 200),
        ("volume", "200"),
        ("memory", "8"),
        ("smtp", {**SMTP, "host": "mail.example.org"}),
    ],
)
def test_a_value_without_its_unit_or_out_of_all_reason_is_refused(key: str, value: object) -> None:
    faults = misshapen(monitoring=_monitoring(**{key: value}))
    assert faults
    assert all(fault.path.startswith(f"{HERE}.{key}") for fault in faults)


def test_the_platforms_namespace_is_no_tenants() -> None:
    found = judged(monitoring=_monitoring(), tenants=[tenant("monitoring")])
    assert places(found) == [("name-reserved", "site.tenants[0].name")]
