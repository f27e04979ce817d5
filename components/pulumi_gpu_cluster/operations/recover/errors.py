"""What stops a recovery."""

from __future__ import annotations


class RecoverError(Exception):
    """Something that a person has to see to; the message says what and how."""
