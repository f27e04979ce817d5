"""Property values as the engine sends them: plain JSON, with secrets and unknowns marked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from google.protobuf import json_format, struct_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

# source: pulumi/pulumi sdk/go/common/resource/sig/sig.go and .../plugin/rpc.go
_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a public marker, no password
UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands for a value that only the update itself will show."""


def from_struct(struct: struct_pb2.Struct) -> dict[str, Any]:
    """The properties as a mapping; secrets stay wrapped, so that they can be sent back so."""
    return json_format.MessageToDict(struct)


def to_struct(properties: Mapping[str, Any]) -> struct_pb2.Struct:
    """The properties as the engine takes them."""
    return json_format.ParseDict(dict(properties), struct_pb2.Struct())


def revealed(value: Any) -> Any:
    """The value with every secret in it unwrapped."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        if mapping.get(_SIGNATURE) == _SECRET:
            return revealed(mapping.get("value"))
        return {name: revealed(item) for name, item in mapping.items()}
    if isinstance(value, list):
        return [revealed(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def has_unknown(value: Any) -> bool:
    """Whether any part of the value is unknown yet."""
    return UNKNOWN in json.dumps(value)
