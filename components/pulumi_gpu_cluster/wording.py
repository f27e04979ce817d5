"""How findings speak: lists with an "and", the nearest known word, values short and harmless."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

_LONGEST: Final = 60


def listed(words: Iterable[str], last: str = "and", *, most: int | None = 8) -> str:
    """`a, b and c`; of very many words the first few and how many more there are.

    Args:
        words: The words.
        last: What stands before the last one.
        most: How many are very many; None where each of them counts.
    """
    words = list(words)
    if most is not None and len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    if len(words) < 2:  # noqa: PLR2004 - one word has no comma
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, or None where none is close."""
    lowered = {one.lower(): one for one in known}
    found = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[found[0]] if found else None


def instead(word: str, known: Sequence[str], otherwise: str = "use one of") -> str:
    """The way out of an unknown word: the nearest known one, else all that are known."""
    close = nearest(word, known)
    return f"did you mean {close}?" if close else f"{otherwise} {listed(known, 'or')}"


def shown(value: object) -> str:
    """A value of the site file in a message: quoted, cut, and of a container only its kind."""
    if isinstance(value, str):
        text = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
        return repr(text)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if value is None:
        return "nothing"
    return "a mapping" if isinstance(value, dict) else "a list"


def number_of(count: int, what: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
