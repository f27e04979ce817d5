"""The JSON Schema of a whole stack file, for editors: completion, documentation, red lines.

It says less than `gpu-cluster check`: what spans keys is not in it. Everything in it comes from
the models and the catalogue.
"""

from __future__ import annotations

import copy
from typing import Any, Final, cast

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from pulumi_gpu_cluster.catalog.drivers import qualified
from pulumi_gpu_cluster.catalog.fabrics import FABRICS
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.catalog.mig import BALANCED, DISABLED, ENABLED, boards
from pulumi_gpu_cluster.reading.documentation import documentation
from pulumi_gpu_cluster.reading.structure import keys_of
from pulumi_gpu_cluster.secret import CONFIG_KEY
from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.tenancy.args import PoolQuotaArgs, QuotaArgs, StorageQuotaArgs

_ENCRYPTED: Final = {
    "type": "object",
    "properties": {"secure": {"type": "string"}},
    "required": ["secure"],
    "additionalProperties": False,
}


_CUT: Final = ("MigArgs", "MigLayoutArgs")


class _WithTexts(GenerateJsonSchema):
    """Adds what the models say of their fields."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """The schema of one section."""
        made = super().model_schema(schema)
        section: type[Section] = schema["cls"]
        for name, text in documentation(section).items():
            made["properties"][name]["description"] = text
        return made


def stack_schema() -> dict[str, Any]:
    """The schema, ready to be written as JSON."""
    site = Site.model_json_schema(schema_generator=_WithTexts)
    definitions: dict[str, Any] = site.pop("$defs")
    definitions["Site"] = site
    _name_the_known(definitions)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stack file of a GPU cluster",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "properties": {CONFIG_KEY: {"$ref": "#/$defs/Site"}},
                "required": [CONFIG_KEY],
            }
        },
        "required": ["config"],
        "$defs": definitions,
    }
    return cast("dict[str, Any]", _tidied(schema))


def _name_the_known(definitions: dict[str, Any]) -> None:
    """Adds what only the catalogue knows, so that an editor can offer it."""
    definitions["GpuArgs"]["properties"]["model"]["examples"] = list(GPUS)
    told = {"required": ["facts"]}
    definitions["GpuArgs"]["anyOf"] = [told, {"properties": {"model": {"enum": list(GPUS)}}}]
    definitions["DriverArgs"]["properties"]["version"]["examples"] = list(qualified())
    filled = {layout for board in boards().values() for layout in board.layouts}
    known = [DISABLED, ENABLED, BALANCED]
    layouts = [*known, *sorted(filled.difference(known))]
    for layout in (definitions[name]["properties"]["layout"] for name in _CUT):
        _shorthand(layout)["examples"] = layouts
    for section in (QuotaArgs, PoolQuotaArgs, StorageQuotaArgs):
        pattern = section.open_keys[0]
        definitions[section.__name__]["propertyNames"] = {
            "anyOf": [{"enum": list(keys_of(section))}, {"pattern": f"^(?:{pattern})$"}]
        }
    pool = definitions["NodePoolArgs"]["properties"]
    _shorthand(pool["mig"])["examples"] = layouts
    named = {"anyOf": [{"enum": layouts}, {"not": {"type": "string"}}]}
    definitions["NodePoolArgs"]["anyOf"] = [
        {"required": ["gpu"], "properties": {"gpu": told}},
        {"properties": {"mig": named}},
    ]
    _shorthand(pool["driver"])["examples"] = list(qualified())
    definitions["FabricArgs"]["properties"]["link"]["enum"] = list(FABRICS)
    _shorthand(pool["fabric"])["enum"] = list(FABRICS)


def _shorthand(field: dict[str, Any]) -> dict[str, Any]:
    """The plain text among the forms that a field takes."""
    return next(form for form in field["anyOf"] if form.get("type") == "string")


def _tidied(node: object, *, names: bool = False) -> object:
    """The schema without machine-made titles, texts in one line, secrets as the engine has them.

    Args:
        node: A part of the schema.
        names: Whether the part's keys are names of properties, and not words of the schema.
    """
    if isinstance(node, list):
        return [_tidied(entry) for entry in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    part = cast("dict[str, Any]", node)
    if part.get("format") == "password":
        kept = {key: value for key, value in part.items() if key == "description"}
        return {**kept, **copy.deepcopy(_ENCRYPTED)}
    tidy: dict[str, object] = {}
    for key, value in part.items():
        if key == "title" and not names and value != "Stack file of a GPU cluster":
            continue
        if key == "description" and not names:
            tidy[key] = " ".join(str(value).split())
        else:
            tidy[key] = _tidied(value, names=key in ("properties", "$defs") and not names)
    return tidy
