"""The one error that work on the embedded cluster ends with."""

from __future__ import annotations


class ClusterError(Exception):
    """The cluster cannot be brought where it should be; the message says why and the way out."""
