"""From files and configuration to sites: what is told, and what must never be told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_site import AS_OF, gpu_pool, raw_site, stack_text, tenant

from pulumi_gpu_cluster.findings import Finding
from pulumi_gpu_cluster.reading.loading import load_stack_file, site_from_config

SECRET = "hunter2-and-more"  # noqa: S105 - nobody's


def _file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "Pulumi.lab.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _stack(tmp_path: Path, **changes: object) -> Path:
    return _file(tmp_path, stack_text(raw_site(**changes)))


def _only(findings: tuple[Finding, ...]) -> tuple[str, str]:
    (finding,) = findings
    return finding.rule, finding.path


def test_a_sound_stack_file_gives_its_site_and_says_nothing(tmp_path: Path) -> None:
    site, findings = load_stack_file(_stack(tmp_path, tenants=[tenant()]), as_of=AS_OF)
    assert findings == ()
    assert site is not None
    assert site.name == "lab"


def test_the_sandboxs_site_has_no_findings(root: Path) -> None:
    site, findings = load_stack_file(root / "stacks" / "Pulumi.sandbox.yaml", as_of=AS_OF)
    assert findings == ()
    assert site is not None


def test_a_site_with_an_error_is_withheld_and_one_with_a_warning_is_not(tmp_path: Path) -> None:
    twice = [tenant(), tenant("vision", group="ml-team")]
    site, findings = load_stack_file(_stack(tmp_path, tenants=twice), as_of=AS_OF)
    assert site is not None
    assert _only(findings) == ("group-shared", "site.tenants[1].group")
    greedy = [tenant(quota={"train": {"gpu": 33}})]
    site, findings = load_stack_file(_stack(tmp_path, tenants=greedy), as_of=AS_OF)
    assert site is None
    assert _only(findings) == ("quota-over-capacity", "site.tenants[0].quota.train.gpu")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "empty-file"),
        ("# only a comment\n", "empty-file"),
        ("config: {}\n", "site-missing"),
        ("config: [a]\n", "site-missing"),
        ("name: lab\nnode_pools: []\n", "site-missing"),
        ("a\n", "site-missing"),
        ("[1, 2]\n", "site-missing"),
        ("config: {gpu-cluster:site: [}\n", "yaml-syntax"),
        ("a: 1\n---\nb: 2\n", "yaml-documents"),
        ("a: \t- b\n", "yaml-syntax"),
        ("a: *nowhere\n", "yaml-syntax"),
        (b"a: \x00b\n", "yaml-syntax"),
        (b"a: \xff\xfe\n", "not-utf-8"),
        (b"\xff\xfea\x00:\x00", "not-utf-8"),
        ("[" * 5000, "yaml-syntax"),
        ("config:\n  gpu-cluster:site: " + "[" * 90 + "]" * 90, "yaml-too-large"),
    ],
)
def test_a_file_that_holds_no_site_is_one_finding_that_names_the_file(
    tmp_path: Path, text: str | bytes, rule: str
) -> None:
    path = _file(tmp_path, text)
    site, findings = load_stack_file(path)
    (finding,) = findings
    assert site is None
    assert finding.rule == rule
    assert finding.path.startswith(str(path))


def test_a_file_that_is_not_there_a_folder_and_one_that_may_not_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.yaml", tmp_path):
        assert _only(load_stack_file(path).findings) == ("unreadable-file", str(path))


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    text = stack_text(raw_site())
    assert load_stack_file(_file(tmp_path, b"\xef\xbb\xbf" + text.encode())).site is not None


@pytest.mark.parametrize("raw", ["name: lab", 5, ["a"], True])
def test_a_site_that_is_no_mapping_is_a_finding_at_the_site(tmp_path: Path, raw: object) -> None:
    path = _file(tmp_path, stack_text(raw))
    assert _only(load_stack_file(path).findings) == ("wrong-type", "site")


def test_an_empty_site_names_every_key_that_is_needed(tmp_path: Path) -> None:
    findings = load_stack_file(_file(tmp_path, "config:\n  gpu-cluster:site:\n")).findings
    assert [(finding.rule, finding.path) for finding in findings] == [
        ("missing-key", "site.name"),
        ("missing-key", "site.control_plane"),
        ("missing-key", "site.node_pools"),
    ]


def test_an_encrypted_value_under_a_misspelt_key_is_a_slip_of_the_pen(tmp_path: Path) -> None:
    control_plane = {"version": "1.36.3", "kubeconfg": {"secure": "v1:a:b"}}
    (finding,) = load_stack_file(_stack(tmp_path, control_plane=control_plane)).findings
    assert (finding.rule, finding.fix) == ("unknown-key", "did you mean kubeconfig?")


def test_a_site_that_is_encrypted_as_a_whole_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "config:\n  gpu-cluster:site: {secure: v1:a:b}\n")
    assert _only(load_stack_file(path).findings) == ("secret-not-allowed", "site")


def test_an_encrypted_kubeconfig_parses_without_the_engine(tmp_path: Path) -> None:
    control_plane = {"version": "1.36.3", "kubeconfig": {"secure": "v1:a:b"}}
    site, findings = load_stack_file(_stack(tmp_path, control_plane=control_plane), as_of=AS_OF)
    assert findings == ()
    assert site is not None
    assert site.control_plane.kubeconfig is not None


def test_a_secret_in_plain_text_is_refused_and_not_repeated(tmp_path: Path) -> None:
    control_plane = {"version": "1.36.3", "kubeconfig": SECRET}
    site, findings = load_stack_file(_stack(tmp_path, control_plane=control_plane))
    assert site is None
    assert _only(findings) == ("secret-in-plain-text", "site.control_plane.kubeconfig")
    assert SECRET not in str(findings)


@pytest.mark.parametrize(
    "control_plane",
    [
        {"version": "1.36.3", "kubeconfig": [SECRET]},
        {"version": "1.36.3", "kubeconfig": {"users": SECRET}},
        {"version": "1.36.3", "kubeconfg": SECRET},
        {"version": "1.36.3", "kubeconfig": {"secure": "v1", "also": SECRET}},
        SECRET,
        [SECRET],
    ],
)
def test_what_stands_where_a_secret_might_is_never_quoted(
    tmp_path: Path, control_plane: object
) -> None:
    findings = load_stack_file(_stack(tmp_path, control_plane=control_plane)).findings
    assert findings
    assert SECRET not in str(findings)


_MISSHAPEN: tuple[dict[str, Any], ...] = (
    {"name": f"{SECRET}!"},
    {"node_pools": [gpu_pool(nodes=f"{SECRET}[1")]},
    {"node_pools": [gpu_pool(nodes=f"a[{SECRET}]")]},
    {"node_pools": [gpu_pool(memory=SECRET)]},
    {"node_pools": [gpu_pool(cpus=SECRET)]},
    {"node_pools": [gpu_pool(driver=SECRET)]},
    {"scheduler": {"kind": SECRET}},
    {"tenants": [tenant(weight=SECRET)]},
    {"accept": [{"rule": "a", "path": "b", "reason": "long enough", "until": SECRET}]},
)


@pytest.mark.parametrize("changes", _MISSHAPEN)
def test_decrypted_configuration_is_never_quoted_when_its_shape_is_wrong(
    changes: dict[str, Any],
) -> None:
    site, findings = site_from_config(raw_site(**changes))
    assert site is None
    assert findings
    assert SECRET not in str(findings)


def test_the_program_gets_the_same_findings_as_the_command_line(tmp_path: Path) -> None:
    changes = {"tenants": [tenant(quota={"train": {"gpu": 33}})]}
    by_file = load_stack_file(_stack(tmp_path, **changes), as_of=AS_OF)
    assert site_from_config(raw_site(**changes), as_of=AS_OF) == by_file


def test_a_stack_without_a_site_is_told_so_to_the_program() -> None:
    site, findings = site_from_config(None)
    assert site is None
    assert _only(findings) == ("site-missing", "the stack's configuration")


def test_another_setting_of_ours_is_a_slip_and_other_peoples_settings_are_not(
    tmp_path: Path,
) -> None:
    config = {"gpu-cluster:site": raw_site(), "gpu-cluster:sites": {}, "aws:region": "eu"}
    path = _file(tmp_path, json.dumps({"config": config, "encryptionsalt": "v1:x"}))
    assert _only(load_stack_file(path).findings) == ("unknown-key", "config.gpu-cluster:sites")
