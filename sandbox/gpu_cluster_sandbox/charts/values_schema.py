"""A values.schema.json from a shape: what Helm checks when somebody sets a value."""

from __future__ import annotations

from typing import Any, Final

from gpu_cluster_sandbox.charts.shapes import ANY, LIST, MAP, SCALAR, Shape

# Null is allowed everywhere: in Helm it takes a default back.
_WORDS: Final[dict[str, dict[str, Any]]] = {
    SCALAR: {"type": ["string", "number", "boolean", "null"]},
    LIST: {"type": ["array", "null"]},
    MAP: {"type": ["object", "null"]},
    ANY: {},
}


def schema_of(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of a whole chart's values.

    Helm hands `global` to every chart and bundled chart, so it is known everywhere a chart's
    values begin.
    """
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_schema(shape)}


def _schema(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, str):
        return dict(_WORDS[shape])
    return {
        "type": ["object", "null"],
        "properties": {key: _schema(below) for key, below in shape.items()},
        "additionalProperties": False,
    }
