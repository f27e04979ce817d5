"""Which commented-out lines of a values.yaml are keys, and which are prose."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu_cluster_sandbox.charts.comments import commented_keys


def keys(text: str) -> list[str]:
    return [".".join(path) for path in commented_keys(dedent(text))]


def test_a_commented_out_key_belongs_to_the_mapping_it_stands_in() -> None:
    assert keys(
        """\
        operator:
          image: x
          #version: ""
          # metrics:
          #   serviceMonitor:
          #     interval: 15s
        mig:
          strategy: single
          # other: [1, 2]
        """
    ) == ["operator.version", "operator.metrics", "mig.other"]


def test_keys_below_a_commented_out_mapping_need_no_name_of_their_own() -> None:
    assert keys(
        """\
        exporter:
          monitor:
            enabled: true
          # config:
            # name: metrics
            # create: true
        """
    ) == ["exporter.config"]


@pytest.mark.parametrize(
    "line",
    [
        "# NOTE: use the other one",
        "# Either of these: a or b",
        "# see: the manual",
        "# more words than one value: so this is prose",
        "# key: two words",
        "# link: https://example.org/page",
        "# example:",
        "# -- key: documented",
        "# - item: of a list",
    ],
)
def test_prose_with_a_colon_is_no_key(line: str) -> None:
    assert keys(f"a: 1\n{line}\nb: 2\n") == []


def test_a_comment_inside_a_block_text_is_text() -> None:
    assert (
        keys(
            """\
        config: |-
          kind: Configuration
          # key: 1
        other: 1
        """
        )
        == []
    )


def test_an_example_at_the_margin_of_a_deeper_mapping_is_no_key_of_the_outer_one() -> None:
    assert (
        keys(
            """\
        custom:
          one: 1
        # agent_features: "x"
          two: 2
        """
        )
        == []
    )


def test_a_key_that_is_there_already_is_not_found_again() -> None:
    assert keys("a:\n  b: {}\n  # b:\n  #   c: 1\n") == []


def test_a_schema_in_a_comment_is_no_value() -> None:
    assert keys("# @schema\n# type: integer\n# @schema\na: 1\n# b: 2\nc: 3\n") == ["b"]
