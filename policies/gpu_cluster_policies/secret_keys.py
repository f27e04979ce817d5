"""Which keys and texts hold secrets, as far as their names and shapes tell."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Words as people name them, at the end of a key: adminPassword, db_password, API_TOKEN.
_SECRET: Final = re.compile(
    r"(password|passwd|passphrase|token|api[_-]?key|access[_-]?key|secret[_-]?key|"
    r"private[_-]?key|credentials?|connection[_-]?string|"
    # Other keys that end so hold the name of a Secret: configSecret, tlsSecret.
    r"(client|shared|app|jwt|cookie|consumer|signing)[_-]?secret)$",
    re.IGNORECASE,
)
# What only says where a secret is, how long it lives or what it is called.
_ABOUT: Final = re.compile(
    r"(existing|use|enable|mount|create|generate|auto|has|is|default|require|image_?pull|tls|max|"
    r"min|pull)[a-z_-]*(secret|token|password)s?$",
    re.IGNORECASE,
)
_SHAPES: Final = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an access key of a cloud", re.compile(r"\bAKIA[0-9A-Z]{16}\b")),
    ("a token of a code host", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b")),
    ("a token for a cluster", re.compile(r"\beyJhbGciOi[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.")),
    (
        "a password in an address",
        re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s:/@{}$]+:[^\s:/@{}$]+@", re.IGNORECASE),
    ),
)
# Something of it is in each of them: most texts are asked once and not five times.
_HINT: Final = re.compile(r"-----BEGIN|AKIA|gh[pousr]_|eyJ|://")


@lru_cache(maxsize=4096)
def is_secret_key(key: str) -> bool:
    """Whether a key of this name holds a secret."""
    return bool(_SECRET.search(key)) and not _ABOUT.search(key)


def secret_shape(text: str) -> str | None:
    """What a text holds that nobody may see, told by its shape; None where it shows nothing."""
    if not _HINT.search(text):
        return None
    return next((what for what, shape in _SHAPES if shape.search(text)), None)
