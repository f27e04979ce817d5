"""Where the kubeconfig comes from, and that nothing of it is ever repeated."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.kubeconfig import open_api_server

SECRET = "c2VjcmV0LWtleQ"  # noqa: S105 (a planted one)


def text_of(value: object) -> str:
    return json.dumps(value)


def config(server: str = "https://one:6443", **changes: object) -> dict[str, Any]:
    return {
        "clusters": [
            {"name": "one", "cluster": {"server": server}},
            {"name": "two", "cluster": {"server": "https://two:6443"}},
        ],
        "users": [{"name": "admin", "user": {"token": SECRET}}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "admin"}} for name in ("one", "two")
        ],
        "current-context": "one",
        **changes,
    }


@pytest.mark.parametrize("comment", ["", "# YAML, then\n"])
def test_a_kubeconfig_on_standard_input_is_yaml_or_json(comment: str) -> None:
    server = open_api_server(
        {"GPU_CLUSTER_KUBECONFIG": "-"}, io.StringIO(comment + text_of(config()))
    )
    assert server.server == "https://one:6443"


def test_the_first_file_of_kubeconfig_that_exists_is_used(tmp_path: Path) -> None:
    there = tmp_path / "config"
    there.write_text(text_of(config()))
    environment = {"KUBECONFIG": f"{tmp_path / 'missing'}:{there}"}
    assert open_api_server(environment, io.StringIO()).server == "https://one:6443"


def test_another_context_may_be_asked_for() -> None:
    text = text_of(config())
    server = open_api_server({"GPU_CLUSTER_KUBECONFIG": "-"}, io.StringIO(text), "two")
    assert server.server == "https://two:6443"


def test_no_kubeconfig_anywhere_names_the_places(tmp_path: Path) -> None:
    with pytest.raises(AccessError) as refused:
        open_api_server({"KUBECONFIG": str(tmp_path / "none")}, io.StringIO())
    assert str(refused.value) == (
        f"there is no kubeconfig at {tmp_path / 'none'}; fix: set KUBECONFIG to one"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"token: {SECRET}: {SECRET}",
        f"[{SECRET}",
        SECRET,
        json.dumps({"users": SECRET}),
        text_of(config(contexts=[])),
        text_of(config(users=[{"name": "other", "user": {"token": SECRET}}])),
        text_of(config(users=[{"name": "admin", "user": {"token": {SECRET: 1}}}])),
        text_of(config(users=[{"name": "admin", "user": {"client-certificate-data": SECRET}}])),
        text_of(
            config(
                users=[
                    {
                        "name": "admin",
                        "user": {
                            "client-certificate-data": SECRET + "==",
                            "client-key-data": SECRET + "==",
                        },
                    }
                ]
            )
        ),
    ],
)
def test_a_kubeconfig_that_makes_no_sense_is_never_quoted(text: str) -> None:
    with pytest.raises(AccessError) as refused:
        open_api_server({"GPU_CLUSTER_KUBECONFIG": "-"}, io.StringIO(text))
    assert str(refused.value).startswith("the kubeconfig on standard input ")
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None
    assert "; fix: " in str(refused.value)
