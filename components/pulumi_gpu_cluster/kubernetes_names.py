"""What Kubernetes takes as names, label keys and label values."""

from __future__ import annotations

import re
from typing import Final

OURS: Final = "gpu-cluster.io/"
"""The prefix of this package's own labels and taints."""

_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LONGEST_SUBDOMAIN: Final = 253
_LONGEST_QUALIFIED: Final = 63

SUBDOMAIN_WORDS: Final = "lower-case letters, digits, dashes and dots, at most 253"
VALUE_WORDS: Final = "letters, digits, dashes, underscores and dots, at most 63"
KEY_WORDS: Final = f"{VALUE_WORDS}, after an optional DNS name and a slash"


def is_subdomain(text: str) -> bool:
    """Whether it can be the name of a node."""
    return len(text) <= _LONGEST_SUBDOMAIN and _SUBDOMAIN.fullmatch(text) is not None


def is_label_value(text: str) -> bool:
    """Whether it can be the value of a label; the empty text can."""
    return text == "" or (
        len(text) <= _LONGEST_QUALIFIED and _QUALIFIED.fullmatch(text) is not None
    )


def is_label_key(text: str) -> bool:
    """Whether it can be the key of a label or a taint."""
    prefix, slash, name = text.rpartition("/")
    return bool(name) and is_label_value(name) and (not slash or is_subdomain(prefix))
