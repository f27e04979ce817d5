"""YAML as the engine reads it."""

from __future__ import annotations

import pytest
import yaml

from pulumi_gpu_cluster.reading.yaml_text import Loader, Reader, TooLarge
from pulumi_gpu_cluster.secret import OPAQUE


def _read(text: str) -> tuple[object, list[str]]:
    reader = Reader()
    node = yaml.compose(text, Loader=Loader)
    assert node is not None
    value = reader.read(node, "site")
    return value, [f"{finding.rule} {finding.path}" for finding in reader.findings]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("12:30:00", "12:30:00"),
        ("2026-12-31", "2026-12-31 00:00:00 +0000 UTC"),
        ("'2026-12-31'", "2026-12-31"),
        ("2026-13-31", "2026-13-31"),
        ("580.173.02", "580.173.02"),
        ("580.65", 580.65),
        ("0x1F", 31),
        ("010", 8),
        ("1_000", 1000),
        ("-3", -3),
        ("~", None),
        ("''", ""),
        ("'5'", "5"),
        ("2-00:00:00", "2-00:00:00"),
        ("{secure: v1:a:b}", OPAQUE),
        ("{secure: v1:a:b, more: 1}", {"secure": "v1:a:b", "more": 1}),
    ],
)
def test_a_value_is_what_the_engine_takes_it_for(text: str, value: object) -> None:
    assert _read(f"a: {text}") == ({"a": value}, [])


def test_merge_keys_give_way_to_the_mappings_own_keys() -> None:
    text = "base: &base {cpus: 8, memory: 8Gi}\npool: {<<: *base, cpus: 16}"
    value, findings = _read(text)
    assert value == {
        "base": {"cpus": 8, "memory": "8Gi"},
        "pool": {"cpus": 16, "memory": "8Gi"},
    }
    assert findings == []


def test_a_key_that_comes_twice_is_told_with_both_lines() -> None:
    reader = Reader()
    node = yaml.compose("a:\n  b: 1\n  c: 2\n  b: 3", Loader=Loader)
    assert node is not None
    reader.read(node, "site")
    (finding,) = reader.findings
    assert finding.path == "site.a.b"
    assert finding.message == "comes twice, on line 2 and on line 4"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("a: !!python/object:os.system x", "yaml-tag site.a"),
        ("a: !custom {b: 1}", "yaml-tag site.a"),
        ("a: !!set {b}", "yaml-tag site.a"),
        ("? [1, 2]\n: 3", "yaml-key site"),
        ("a: {<<: 3}", "yaml-key site.a"),
    ],
)
def test_what_a_site_file_has_no_use_for_is_a_finding(text: str, finding: str) -> None:
    assert _read(text)[1] == [finding]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100 + "]" * 100,
        "a: &a [*a]",
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(
            f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]"
            for old, new in zip("abcdef", "bcdefg", strict=True)
        ),
    ],
    ids=["deep", "endless", "a billion laughs"],
)
def test_a_document_that_would_not_end_is_given_up(text: str) -> None:
    node = yaml.compose(text, Loader=Loader)
    assert node is not None
    with pytest.raises(TooLarge):
        Reader().read(node, "site")
