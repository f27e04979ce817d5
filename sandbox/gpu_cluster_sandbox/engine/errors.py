"""The one error that setting the engine up ends with."""

from __future__ import annotations


class EngineError(Exception):
    """The engine cannot be had; the message names the program, the reason and the way out."""
