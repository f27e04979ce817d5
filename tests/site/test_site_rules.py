"""Rules of the whole site, at their edges."""

from __future__ import annotations

from typing import Annotated, Any, cast

import pytest
from made_site import AS_OF, cpu_pool, gpu_pool, judged, places, tenant
from pydantic import SecretStr

from pulumi_gpu_cluster.checks import RULES
from pulumi_gpu_cluster.rule import Case
from pulumi_gpu_cluster.secret import Generated, Given
from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.site_rules import secret_missing

Changes = dict[str, Any]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"tenants": [tenant("train"), tenant("general", {"general": {"cpu": 1}})]}, []),
        (
            {"node_pools": [gpu_pool(), gpu_pool(nodes="other1")]},
            [("name-taken", "site.node_pools[1].name")],
        ),
        ({"node_pools": [cpu_pool("pods")]}, [("name-reserved", "site.node_pools[0].name")]),
        ({"tenants": [tenant("kubeflow")]}, []),
        ({"tenants": [tenant("kube-flow")]}, [("name-reserved", "site.tenants[0].name")]),
        ({"tenants": [tenant("gpu-operator")]}, [("name-reserved", "site.tenants[0].name")]),
        ({"tenants": [tenant("kueue-system")]}, [("name-reserved", "site.tenants[0].name")]),
        ({"tenants": [tenant("volcano-system")]}, []),
        ({"gpu_operator": {"namespace": "nvidia"}, "tenants": [tenant("gpu-operator")]}, []),
        (
            {"scheduler": {"namespace": "gpu-operator"}},
            [("namespace-taken", "site.scheduler.namespace")],
        ),
        ({"control_plane": {"version": "1.35.0"}}, []),
        (
            {"control_plane": {"version": "1.37.0"}},
            [("kubernetes-version-untested", "site.control_plane.version")],
        ),
        ({"charts": {"source": "directory", "path": "charts"}}, []),
        ({"charts": {"source": "mirror", "url": "oci://mirror.example/charts"}}, []),
        (
            {"charts": {"source": "mirror", "url": "mirror.example/charts"}},
            [("charts-source", "site.charts.url")],
        ),
        (
            {"charts": {"source": "mirror", "url": "https://me:word@mirror.example/charts"}},
            [("charts-source", "site.charts.url")],
        ),
        (
            {"charts": {"source": "mirror", "url": "https://mirror.example/charts?token=abc"}},
            [("charts-source", "site.charts.url")],
        ),
        (
            {"charts": {"source": "mirror", "url": "oci://"}},
            [("charts-source", "site.charts.url")],
        ),
        (
            {"charts": {"source": "mirror", "url": "oci://mirror example/charts"}},
            [("charts-source", "site.charts.url")],
        ),
        ({"control_plane": {"version": "1.36.3", "kubeconfig_file": "~/.kube/config"}}, []),
        (
            {"control_plane": {"version": "1.36.3", "kubeconfig_file": "apiVersion: v1\nkind: x"}},
            [("kubeconfig-file-no-path", "site.control_plane.kubeconfig_file")],
        ),
        ({"charts": {"url": "oci://mirror.example"}}, [("charts-source", "site.charts.url")]),
        ({"teardown": {"data": "delete", "confirm": "lab"}}, []),
        (
            {"teardown": {"data": "delete", "confirm": "lap"}},
            [("teardown-unconfirmed", "site.teardown.confirm")],
        ),
    ],
)
def test_a_site_with(changes: Changes, found: list[tuple[str, str]]) -> None:
    assert places(judged(**changes)) == found


@pytest.mark.parametrize(
    "url",
    [
        "https://me:hunter2@mirror.example/charts",
        "me:hunter2@mirror.example/charts",
        "https://mirror.example/charts?token=hunter2",
    ],
)
def test_a_password_in_the_address_of_charts_is_not_repeated(url: str) -> None:
    (finding,) = judged(charts={"source": "mirror", "url": url})
    assert "hunter2" not in str(finding)


def test_every_rule_has_an_id_in_kebab_case_and_one_sentence() -> None:
    for name, rule in RULES.items():
        assert name == rule.id
        assert name.replace("-", "").isalpha()
        assert rule.says.endswith("."), name


class _Database(Section):
    key: Annotated[SecretStr | None, Generated("key")] = None
    licence: Annotated[SecretStr | None, Given("the vendor's licence")] = None


class _SiteWithDatabase(Section):
    name: str = "lab"
    database: _Database = _Database()


def test_a_secret_that_is_missing_is_told_with_the_way_to_make_or_to_give_it() -> None:
    case = Case(cast("Site", _SiteWithDatabase()), AS_OF)
    assert [(fault.path, fault.fix) for fault in secret_missing.faults(case)] == [
        ("site.database.key", "make it by gpu-cluster secrets init -s lab"),
        (
            "site.database.licence",
            "set it by pulumi config set --secret --path 'gpu-cluster:site.database.licence'",
        ),
    ]


def test_errors_are_told_before_warnings() -> None:
    found = judged(
        control_plane={"version": "1.34.1"},
        tenants=[tenant(quota={"train": {"gpu": 1}, "cpu": 1}), tenant("b", group="ml-team")],
    )
    severities = [str(finding.severity) for finding in found]
    assert severities == sorted(severities)
    assert set(severities) == {"error", "warning"}
