"""Each case is a preview of a few steps and exactly what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pulumi_gpu_cluster.changes.preview import PreviewError, read_preview
from pulumi_gpu_cluster.changes.rules import changes
from pulumi_gpu_cluster.cli.plan import command

NAMESPACE = "kubernetes:core/v1:Namespace"
PATCH = "kubernetes:core/v1:NodePatch"
CONTROL_PLANE = "gpu-cluster:cluster:GpuCluster$gpu-cluster:control-plane:ControlPlane"


def step(
    op: str,
    token: str,
    name: str = "one",
    old: dict[str, Any] | None = None,
    new: dict[str, Any] | None = None,
    **state: Any,
) -> dict[str, Any]:
    urn = f"urn:pulumi:lab::gpu-cluster::{token}::{name}"
    found: dict[str, Any] = {"op": op, "urn": urn}
    if op != "create":
        found["oldState"] = {"urn": urn, "inputs": old or {}, **state}
    if op != "delete":
        found["newState"] = {"urn": urn, "inputs": new or {}}
    return found


def told(*steps: dict[str, Any], nodes: list[str] | None = None) -> list[str]:
    read = read_preview(json.dumps({"steps": list(steps)}))
    return [f"{one.severity} {one.rule} {one.path}" for one in changes(read, nodes)]


@pytest.mark.parametrize(
    "token",
    [
        "pulumi:providers:kubernetes",
        NAMESPACE,
        "kubernetes:ceph.rook.io/v1:CephCluster",
        "kubernetes:k8s.mariadb.com/v1alpha1:MariaDB",
        "kubernetes:scheduling.volcano.sh/v1beta1:Queue",
        f"{CONTROL_PLANE}$command:remote:Command",
    ],
)
@pytest.mark.parametrize("op", ["replace", "create-replacement", "delete-replaced"])
def test_what_everything_else_hangs_on_is_not_made_anew(op: str, token: str) -> None:
    own = token.rpartition("$")[2]
    assert told(step(op, token)) == [f"error mass-replace {own}::one"]
    assert told(step("update", token), step("create", token, "two")) == []


def test_a_replacement_told_in_three_steps_is_one_finding() -> None:
    three = [step(op, NAMESPACE) for op in ("create-replacement", "replace", "delete-replaced")]
    assert told(*three) == [f"error mass-replace {NAMESPACE}::one"]


def test_a_job_that_is_made_anew_is_nobodys_concern() -> None:
    assert told(step("replace", "kubernetes:batch/v1:Job")) == []


def test_a_crd_that_would_go_is_told_with_its_objects() -> None:
    crd = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
    spec = {"spec": {"group": "ceph.rook.io", "names": {"kind": "CephCluster"}}}
    steps = (step("delete", crd, old=spec), step("same", "kubernetes:ceph.rook.io/v1:CephCluster"))
    (found,) = changes(read_preview(json.dumps({"steps": steps})))
    assert (found.rule, str(found.severity)) == ("crd-deleted", "error")
    assert "some of them in this stack (ceph.rook.io/CephCluster)" in found.message
    chart = {"chart": "oci://registry.example.org/charts/mariadb-operator-crds"}
    release = "kubernetes:helm.sh/v3:Release"
    assert told(step("delete", release, old=chart)) == [f"error crd-deleted {release}::one"]
    assert told(step("delete", release, old={"chart": "mariadb-operator"})) == []


def test_data_that_would_be_deleted_is_told() -> None:
    claim, rule = "kubernetes:core/v1:PersistentVolumeClaim", "error protected-data-deleted"
    tenant = {"metadata": {"labels": {"gpu-cluster.io/tenant": "ml"}}}
    assert told(step("delete", claim)) == [f"{rule} {claim}::one"]
    assert told(step("delete", NAMESPACE, old=tenant)) == [f"{rule} {NAMESPACE}::one"]
    config_map = "kubernetes:core/v1:ConfigMap"
    assert told(step("delete", config_map, protect=True)) == [f"{rule} {config_map}::one"]
    assert told(step("delete", config_map), step("delete", NAMESPACE)) == []


def labelled(layout: str | None, name: str = "gpu01") -> dict[str, Any]:
    labels = {"nvidia.com/mig.config": layout} if layout else {}
    return {"metadata": {"name": name, "labels": labels}}


def test_another_mig_layout_is_worth_a_drain() -> None:
    old, new = labelled("all-3g.40gb"), labelled("all-1g.10gb")
    assert told(step("update", PATCH, old=old, new=new)) == [
        f"warning mig-layout-changed {PATCH}::one"
    ]
    assert told(step("update", PATCH, old=old, new=old)) == []
    assert told(step("create", PATCH, new=new)) == [], "a new node has nothing on it"
    pool = "gpu-cluster:node-pools:NodePool"
    before, after = ({"mig": {"layout": one}} for one in ("all-3g.40gb", "all-1g.10gb"))
    assert told(step("update", pool, old=before, new=after)) == [
        f"warning mig-layout-changed {pool}::one"
    ]


def test_nodes_that_nobody_named_are_left_alone() -> None:
    first = step("update", PATCH, "a", labelled(None), labelled(None))
    command_of = {"create": "gpu-cluster node gate gpu02 --wait 30m"}
    second = step("update", "command:local:Command", "b", command_of, command_of)
    assert told(first) == []
    assert told(first, second) == ["warning nodes-touched nodes"]
    assert told(first, second, nodes=["gpu01", "gpu02"]) == []
    assert told(first, second, nodes=["gpu01"]) == ["error nodes-touched command:local:Command::b"]
    assert told(step("same", PATCH, "a", labelled(None), labelled(None)), nodes=[]) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"steps": 1}', "not json"])
def test_what_is_no_preview_is_refused(text: str) -> None:
    with pytest.raises(PreviewError):
        read_preview(text)


def run(tmp_path: Path, *steps: dict[str, Any], options: tuple[str, ...] = ()) -> tuple[int, str]:
    file = tmp_path / "preview.json"
    file.write_text(json.dumps({"steps": list(steps)}))
    done = CliRunner().invoke(command, [str(file), *options])
    return done.exit_code, done.output


def test_the_exit_code_says_whether_the_run_may_go_on(tmp_path: Path) -> None:
    fine, wrong = step("update", NAMESPACE), step("replace", NAMESPACE)
    assert run(tmp_path, fine) == (0, "1 to update\n")
    assert run(tmp_path) == (0, "nothing to do\n")
    code, output = run(tmp_path, wrong)
    assert (code, output.splitlines()[-1]) == (1, "1 to replace")
    assert output.startswith(f"error mass-replace {NAMESPACE}::one: would be made anew")
    assert run(tmp_path, wrong, options=("--accept", "mass-replace"))[0] == 0
    layout = step("update", PATCH, old=labelled("a"), new=labelled("b"))
    assert run(tmp_path, layout)[0] == 0
    assert run(tmp_path, layout, options=("--strict",))[0] == 1
    assert run(tmp_path, layout, options=("--nodes", ""))[0] == 1
    assert run(tmp_path, layout, options=("--nodes", "gpu[01-02]"))[0] == 0
    code, output = run(tmp_path, wrong, options=("--format", "json"))
    assert [one["rule"] for one in json.loads(output)["findings"]] == ["mass-replace"]
    (tmp_path / "no.json").write_text("no")
    assert CliRunner().invoke(command, [str(tmp_path / "no.json")]).exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="nested past all reason"),
        pytest.param('{"steps": [1]}', id="a step that is none"),
        pytest.param('{"steps": [{"op": "update"}]}', id="a step of no resource"),
        pytest.param('{"steps": [{"op": 3, "urn": "urn:pulumi:a::b::c::d"}]}', id="no operation"),
        pytest.param(
            '{"steps": [], "diagnostics": [{"severity": "error", "message": "no"}]}', id="it failed"
        ),
    ],
)
def test_half_a_preview_is_refused_and_not_passed_as_nothing_to_do(text: str) -> None:
    with pytest.raises(PreviewError):
        read_preview(text)


def test_a_preview_with_warnings_is_judged() -> None:
    told = '"diagnostics": [{"severity": "warning", "message": "old"}, {"severity": "info"}]'
    assert read_preview(f'{{"steps": [], {told}}}') == ()
