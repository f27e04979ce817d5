"""Quantities: exact values, written as the API server writes them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gpu_cluster.quantity import canonical, text_of, value


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1000Gi", "1000Gi"),
        ("0.5", "500m"),
        (0.5, "500m"),
        ("2000m", "2"),
        ("1500m", "1500m"),
        (2000, "2k"),
        ("0", "0"),
        ("0Gi", "0"),
        (" 64 ", "64"),
        ("1000000", "1M"),
    ],
)
def test_a_quantity_is_kept_as_the_api_server_would_write_it(written: object, kept: str) -> None:
    assert canonical(written) == kept


@pytest.mark.parametrize(
    "wrong",
    ["", "500 GB", "-1", "1e3", "Gi", "1.2.3", "5gi", "٣", "1_000", True, None, [], "9" * 50],
)
def test_what_is_no_quantity_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="not a quantity; write"):
        canonical(wrong)


def test_sums_are_exact() -> None:
    assert value("100m") + value("200m") == value("300m")


@given(st.integers(0, 2**62), st.booleans())
def test_writing_and_reading_again_gives_the_same_amount(
    amount: int,
    binary: bool,  # noqa: FBT001 - hypothesis passes it by name
) -> None:
    assert value(text_of(Fraction(amount), binary=binary)) == amount


@given(st.fractions(0, 10**6))
def test_what_is_finer_than_a_thousandth_is_rounded_up_and_never_down(amount: Fraction) -> None:
    written = value(text_of(amount, binary=False))
    assert amount <= written < amount + Fraction(1, 1000)
