"""Who hears what: the configuration, as the real amtool reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_site import made_site, tenant
from prometheus_checks import amtool, run

from pulumi_gpu_cluster.monitoring.alertmanager import alertmanager_config, contacts
from pulumi_gpu_cluster.monitoring.args import MonitoringArgs

SECTION: dict[str, Any] = {
    "smtp": {
        "host": "mail.example.org:587",
        "sender": "gpus@example.org",
        "user": "gpus",
        "password": "planted",
    },
    "receivers": [
        {"name": "oncall", "pagerduty": {"routing_key": "k" * 32}},
        {"name": "team", "email": ["team@example.org", "lead@example.org"]},
        {"name": "chat", "slack": {"url": "https://hooks.example.org/x", "channel": "#gpus"}},
        {"name": "ml", "webhook": {"url": "https://ml.example.org/alerts"}},
    ],
    "routes": {"warning": "team"},
}


def _config(folder: Path, section: dict[str, Any] | None = None, **contact: str) -> Path:
    args = MonitoringArgs.model_validate(SECTION if section is None else section)
    path = folder / "alertmanager.yaml"
    path.write_text(json.dumps(alertmanager_config(args, contact)))
    return path


def _heard_by(config: Path, *labels: str) -> str:
    said = run(amtool(), "config", "routes", "test", f"--config.file={config}", *labels)
    return said.splitlines()[0]


@pytest.mark.parametrize("section", [SECTION, {}])
def test_amtool_finds_nothing_wrong_with_it(tmp_path: Path, section: dict[str, Any]) -> None:
    said = run(
        amtool(), "check-config", _config(tmp_path, section, ml="ml" if section else "nobody")
    )
    assert "SUCCESS" in said


def test_a_configuration_that_is_wrong_would_be_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="undefined receiver"):
        run(amtool(), "check-config", _config(tmp_path, {}, ml="stranger"))


@pytest.mark.parametrize(
    ("severity", "receiver"),
    [("critical", "oncall"), ("warning", "team"), ("info", "nobody"), ("none", "nobody")],
)
def test_a_severity_has_its_receiver_and_the_first_one_where_none_is_named(
    tmp_path: Path, severity: str, receiver: str
) -> None:
    assert _heard_by(_config(tmp_path), f"severity={severity}") == receiver


def test_info_is_heard_where_the_site_says_so(tmp_path: Path) -> None:
    config = _config(tmp_path, {**SECTION, "routes": {"info": "chat"}})
    assert _heard_by(config, "severity=info") == "chat"


def test_what_concerns_a_tenant_goes_to_its_contact_and_no_further(tmp_path: Path) -> None:
    config = _config(tmp_path, {**SECTION, "routes": {"info": "chat"}}, **{"ml-team": "ml"})
    assert _heard_by(config, "severity=info", "tenant=ml-team") == "ml"
    assert _heard_by(config, "severity=warning", "namespace=ml-team") == "ml"
    assert _heard_by(config, "severity=info", "tenant=vision") == "chat"
    assert _heard_by(config, "severity=critical", "namespace=gpu-operator") == "oncall"


def test_without_receivers_nobody_hears_anything(tmp_path: Path) -> None:
    assert _heard_by(_config(tmp_path, {}), "severity=critical") == "nobody"


def test_a_node_that_is_gone_is_not_told_again_as_silent(tmp_path: Path) -> None:
    rules = alertmanager_config(MonitoringArgs(), {})["inhibit_rules"]
    assert {
        "source_matchers": ['alertname = "NodeNotReady"'],
        "target_matchers": ['alertname = "GpuMetricsMissing"'],
        "equal": ["node"],
    } in rules


def test_mail_goes_to_every_address_over_tls_with_the_account(tmp_path: Path) -> None:
    config = alertmanager_config(MonitoringArgs.model_validate(SECTION), {})
    assert config["global"]["smtp_require_tls"] is True
    assert config["global"]["smtp_auth_password"] == "planted"  # noqa: S105 - planted
    team = next(one for one in config["receivers"] if one["name"] == "team")
    assert [mail["to"] for mail in team["email_configs"]] == [
        "team@example.org",
        "lead@example.org",
    ]


def test_a_tenant_that_is_removed_hears_nothing_more() -> None:
    gone = tenant("gone", contact="ml", state="removed", confirm="gone")
    site = made_site(tenants=[tenant(contact="ml"), tenant("other"), gone])
    assert contacts(site.tenants) == {"ml-team": "ml"}
