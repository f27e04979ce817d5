"""Why CRDs could not be brought to the pinned charts."""

from __future__ import annotations


class ChartError(Exception):
    """A chart could not be had, or is not what it should be; the message says what helps."""
