"""Kubernetes quantities: reading, adding up and writing `256Gi`, `500m`, `1.5`.

The grammar is that of apimachinery's resource.Quantity. Values are exact (Fraction): sums
of quotas are compared with capacities, and a float would make 0.1 + 0.2 a finding.
"""

from __future__ import annotations

import re
from fractions import Fraction

_PATTERN = re.compile(r"^(?P<number>\d+(?:\.\d+)?|\.\d+)(?P<suffix>m|k|[KMGTPE]i|[MGTPE]|)$")
_FACTORS = {
    "": Fraction(1),
    "m": Fraction(1, 1000),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}
_BINARY = ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki")


def value(text: str) -> Fraction:
    """The exact value of a quantity, in its base unit (bytes, cores, pieces).

    Raises:
        ValueError: The text is no quantity.
    """
    match = _PATTERN.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a quantity; write for example 256Gi, 500m or 16")
    return Fraction(match["number"]) * _FACTORS[match["suffix"]]


def canonical(raw: object) -> str:
    """A quantity as it will be written everywhere, from a string or a whole number.

    Raises:
        ValueError: The value is no quantity.
    """
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        # Not a TypeError: pydantic turns only a ValueError into one of its errors.
        raise ValueError("expected a quantity such as 256Gi, 500m or 16")  # noqa: TRY004
    text = str(raw).strip()
    value(text)
    return text


def text_of(amount: Fraction, *, binary: bool) -> str:
    """Writes an amount the way the API server would keep it.

    Args:
        amount: Bytes, cores or pieces; not negative.
        binary: Whether it counts bytes, which read best in powers of two.
    """
    if binary:
        for suffix in _BINARY:
            if amount and amount % _FACTORS[suffix] == 0:
                return f"{amount // _FACTORS[suffix]}{suffix}"
    if amount.denominator == 1:
        return str(amount.numerator)
    # The API server rounds up what it cannot hold, and it holds thousandths.
    return f"{-(-amount * 1000 // 1)}m"
