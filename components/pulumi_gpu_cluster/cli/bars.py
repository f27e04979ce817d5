"""Tables and bars for a terminal, in plain ASCII where the terminal has no more."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TextIO

_WIDTH: Final = 20
_BLOCKS: Final = "█░"
_ASCII: Final = "#."


def can_draw(stream: TextIO) -> bool:
    """Whether the stream can show block characters."""
    try:
        _BLOCKS.encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def bar(part: Fraction, whole: Fraction, *, draw: bool) -> str:
    """How much of the whole a part is, as a bar with its percentage; over-full ones are full."""
    full, empty = _BLOCKS if draw else _ASCII
    share = part / whole if whole else Fraction(0)
    # Something is never shown as nothing, and not quite all never as all.
    cells = min(max(int(share * _WIDTH), 1 if part else 0), _WIDTH if share >= 1 else _WIDTH - 1)
    return f"{full * cells}{empty * (_WIDTH - cells)} {int(share * 100):>3} %"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as aligned lines.

    Args:
        rows: The rows, all of one length.
        right: Columns that are numbers.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            f"{cell:>{width}}" if column in right else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
