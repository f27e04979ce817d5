"""What a local Command takes, and what it means when it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from gpu_cluster_sandbox.engine.command_provider.values import has_unknown, revealed

if TYPE_CHECKING:
    from collections.abc import Mapping

REPLACES: Final = "triggers"
"""The one input whose change makes a new resource and then deletes the old one."""

_LOGGING: Final = ("stdout", "stderr", "stdoutAndStderr", "none")
_REFUSED: Final = ("assetPaths", "archivePaths")
_TEXTS: Final = ("create", "update", "delete", "dir", "stdin")
_NAMES: Final = (
    *_TEXTS,
    "environment",
    "interpreter",
    "logging",
    "addPreviousOutputInEnv",
    REPLACES,
)


@dataclass(frozen=True)
class Command:
    """The inputs, with secrets revealed and defaults filled in."""

    create: str | None
    update: str | None
    delete: str | None
    directory: str | None
    environment: Mapping[str, str]
    stdin: str
    interpreter: tuple[str, ...]
    logging: str
    previous_output: bool

    @classmethod
    def of(cls, properties: Mapping[str, Any]) -> Command:
        """The command in checked properties (inputs, or a state that holds them too)."""
        plain = revealed(dict(properties))
        previous = plain.get("addPreviousOutputInEnv")
        return cls(
            create=plain.get("create"),
            update=plain.get("update"),
            delete=plain.get("delete"),
            directory=plain.get("dir"),
            environment=plain.get("environment") or {},
            stdin=plain.get("stdin") or "",
            interpreter=tuple(plain.get("interpreter") or ("/bin/sh", "-c")),
            logging=plain.get("logging") or "stdoutAndStderr",
            previous_output=previous is None or bool(previous),
        )

    def logs(self, stream: str) -> bool:
        """Whether the lines of "stdout" or "stderr" go to the engine's log."""
        return self.logging in {stream, "stdoutAndStderr"}


def faults(inputs: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, by property; what is unknown yet is not judged."""
    found: dict[str, str] = {}
    for name, wrapped in inputs.items():
        value = revealed(wrapped)
        if name.startswith("__") or value is None or has_unknown(value):
            continue
        if name in _REFUSED:
            found[name] = (
                "is not supported by this stand-in for the command provider; "
                "install a Pulumi release with the command plugin to use it"
            )
        elif name not in _NAMES:
            found[name] = f"is no input of local.Command; there are {', '.join(_NAMES)}"
        elif not _fits(name, value):
            found[name] = _EXPECTED[name]
    return found


_EXPECTED: Final = {
    **dict.fromkeys(_TEXTS, "must be a string"),
    "environment": "must be a map of strings",
    "interpreter": "must be a list of strings",
    "logging": f"must be one of {', '.join(_LOGGING)}",
    "addPreviousOutputInEnv": "must be true or false",
    REPLACES: "must be a list",
}


def _fits(name: str, value: object) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name == "logging":
        return value in _LOGGING
    if name == "addPreviousOutputInEnv":
        return isinstance(value, bool)
    if name == "environment":
        return isinstance(value, dict) and _all_text(cast("dict[str, object]", value).values())
    if name == "interpreter":
        return isinstance(value, list) and _all_text(cast("list[object]", value))
    return isinstance(value, list)


def _all_text(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The inputs that differ, secrets compared by their values."""
    return [
        name
        for name in _NAMES
        if revealed(old.get(name)) != revealed(new.get(name)) or has_unknown(new.get(name))
    ]
