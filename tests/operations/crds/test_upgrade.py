"""CRDs in a cluster are brought to a chart's, against an API server of a few lines."""

from __future__ import annotations

import copy
import json
from typing import Any

import httpx2
import pytest
from api_stub import Clock, api_server, status
from made_charts import NAME, crd

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.crds.upgrade import missing, upgrade

_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OTHER = "others.example.org"


class _Server:
    """CRDs by name. It fills in a default, as the real one does, and counts what is written."""

    def __init__(self, *there: dict[str, Any]) -> None:
        self.crds = {one["metadata"]["name"]: self._filled(one) for one in there}
        self.written: list[str] = []
        self.conflicts = 0
        self.refuses = ""

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            found = self.crds.get(request.url.path.rpartition("/")[2])
            return httpx2.Response(200, json=found) if found else status(404, "not found")
        body = self._filled(json.loads(request.content))
        name = body["metadata"]["name"]
        if "dryRun" in request.url.params:
            return httpx2.Response(200, json=body)
        if self.refuses:
            return status(422, self.refuses)
        if self.conflicts:
            self.conflicts -= 1
            return status(409, "the object has been modified")
        assert request.url.path == (_PATH if request.method == "POST" else f"{_PATH}/{name}")
        self.written.append(name)
        self.crds[name] = body
        return httpx2.Response(200, json=body)

    @staticmethod
    def _filled(given: dict[str, Any]) -> dict[str, Any]:
        made = copy.deepcopy(given)
        made["spec"].setdefault("conversion", {"strategy": "None"})
        made["metadata"].setdefault("resourceVersion", "1")
        return made


def _changes(server: _Server, *wanted: dict[str, Any], dry_run: bool = False) -> dict[str, str]:
    by_name = {one["metadata"]["name"]: one for one in wanted}
    outcomes = upgrade(api_server(server, Clock()), by_name, dry_run=dry_run)
    return {one.name: one.change for one in outcomes}


def test_a_field_that_came_and_one_that_went_are_both_taken_over() -> None:
    server = _Server(crd(old="string", both="string"))
    assert _changes(server, crd(new="string", both="string")) == {NAME: "upgraded"}
    (version,) = server.crds[NAME]["spec"]["versions"]
    fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert set(fields) == {"new", "both"}


def test_what_is_the_same_but_for_defaults_is_not_written() -> None:
    server = _Server(crd(one="string"))
    assert _changes(server, crd(one="string")) == {NAME: "unchanged"}
    assert not server.written


def test_a_second_run_writes_nothing() -> None:
    server = _Server(crd(old="string"))
    _changes(server, crd(new="string"))
    assert _changes(server, crd(new="string")) == {NAME: "unchanged"}
    assert server.written == [NAME]


def test_a_crd_that_the_new_chart_brings_is_made_and_one_that_it_dropped_stays() -> None:
    server = _Server(crd(), crd("dropped.example.org"))
    assert _changes(server, crd(), crd(OTHER)) == {NAME: "unchanged", OTHER: "created"}
    assert set(server.crds) == {NAME, OTHER, "dropped.example.org"}


def test_a_chart_that_is_not_installed_is_left_to_helm() -> None:
    server = _Server()
    assert not _changes(server, crd(), crd(OTHER))
    assert not server.written


def test_a_dry_run_says_what_it_would_do_and_does_nothing() -> None:
    server = _Server(crd(old="string"))
    assert _changes(server, crd(new="string"), crd(OTHER), dry_run=True) == {
        NAME: "upgraded",
        OTHER: "created",
    }
    assert not server.written


def test_marks_of_others_and_an_injected_ca_stay() -> None:
    webhook = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "x"}}}}
    wanted = crd(new="string")
    wanted["spec"]["conversion"] = webhook
    wanted["metadata"]["annotations"] = {"version": "2"}
    there = copy.deepcopy(wanted)
    there["metadata"]["annotations"] = {"version": "1", "meta.helm.sh/release-name": "things"}
    there["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = "injected"
    server = _Server(there)
    assert _changes(server, wanted) == {NAME: "upgraded"}
    made = server.crds[NAME]
    assert made["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] == "injected"
    assert made["metadata"]["annotations"] == {
        "version": "2",
        "meta.helm.sh/release-name": "things",
    }


def test_another_writer_meanwhile_is_read_again() -> None:
    server = _Server(crd(old="string"))
    server.conflicts = 2
    assert _changes(server, crd(new="string")) == {NAME: "upgraded"}


def test_what_the_api_server_refuses_is_told_and_nothing_is_changed() -> None:
    server = _Server(crd(old="string"))
    server.refuses = "status.storedVersions[0]: must remain in spec.versions until storage migrates"
    with pytest.raises(AccessError, match=rf"cannot upgrade CRD {NAME}: .*storedVersions"):
        _changes(server, crd(new="string"))
    assert not server.written


def test_a_chart_that_lacks_what_the_catalogue_names_is_found() -> None:
    assert missing((NAME, OTHER), [OTHER, "more.example.org"]) == [NAME]
