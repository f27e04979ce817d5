"""Kubernetes quantities: reading, adding up and writing `256Gi`, `500m`, `1.5`.

The grammar is that of apimachinery's resource.Quantity, without exponents. Values are exact
(Fraction): sums of quotas are compared with capacities, and a float would make 0.1 + 0.2 a
finding. Quantities are written as the API server writes them, so that a refresh shows no
difference that nobody made.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

_PATTERN: Final = re.compile(
    r"(?P<number>[0-9]{1,19}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})(?P<suffix>[KMGTPE]i|m|k|[MGTPE]|)"
)
_BINARY: Final = {
    "Ei": Fraction(2**60),
    "Pi": Fraction(2**50),
    "Ti": Fraction(2**40),
    "Gi": Fraction(2**30),
    "Mi": Fraction(2**20),
    "Ki": Fraction(2**10),
}
_DECIMAL: Final = {
    "E": Fraction(10**18),
    "P": Fraction(10**15),
    "T": Fraction(10**12),
    "G": Fraction(10**9),
    "M": Fraction(10**6),
    "k": Fraction(10**3),
    "": Fraction(1),
    "m": Fraction(1, 1000),
}
_FACTORS: Final = {**_BINARY, **_DECIMAL}


@lru_cache(maxsize=4096)
def value(text: str) -> Fraction:
    """The exact value of a quantity, in its base unit (bytes, cores, pieces).

    Raises:
        ValueError: The text is no quantity.
    """
    number, suffix = _parts(text)
    return number * _FACTORS[suffix]


@lru_cache(maxsize=4096)
def _canonical(text: str) -> str:
    number, suffix = _parts(text)
    return text_of(number * _FACTORS[suffix], binary=suffix in _BINARY)


def canonical(raw: object) -> str:
    """A quantity as the API server would write it, from a string or a number.

    Raises:
        ValueError: The value is no quantity.
    """
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        # Not a TypeError: pydantic turns only a ValueError into one of its errors.
        raise ValueError("not a quantity; write for example 256Gi, 500m or 16")  # noqa: TRY004
    return _canonical(str(raw).strip())


def text_of(amount: Fraction, *, binary: bool) -> str:
    """Writes an amount as the API server would: a whole number with the largest fitting suffix.

    Args:
        amount: Bytes, cores or pieces; not negative. What is finer than a thousandth is
            rounded up.
        binary: Whether it counts bytes in powers of two.
    """
    if not amount:
        return "0"
    for suffix, factor in (_BINARY if binary else _DECIMAL).items():
        if amount % factor == 0:
            return f"{amount // factor}{suffix}"
    return text_of(-(-amount * 1000 // 1) / Fraction(1000), binary=False)


def _parts(text: str) -> tuple[Fraction, str]:
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError("not a quantity; write for example 256Gi, 500m or 16")
    return Fraction(match["number"]), match["suffix"]
