"""What goes wrong in the sandbox, in words for the person who ran the command."""

from __future__ import annotations


class SandboxError(Exception):
    """Something that the user can mend.

    Attributes:
        message: What is wrong.
        fix: What to do about it.
    """

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(f"{message}; fix: {fix}")
        self.message = message
        self.fix = fix
