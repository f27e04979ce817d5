"""The reference of the site file, written from the models, the catalogue and the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from pulumi_gpu_cluster.catalog.drivers import branches, qualified
from pulumi_gpu_cluster.catalog.fabrics import FABRICS
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.checks import RULES
from pulumi_gpu_cluster.reading.not_offered import planned_words
from pulumi_gpu_cluster.reading.stack_schema import stack_schema
from pulumi_gpu_cluster.reading.structure import EACH, Path, dotted
from pulumi_gpu_cluster.secret import CONFIG_KEY

_INTRODUCTION: Final = f"""\
# The site file

A site is one key of a stack file, `stacks/Pulumi.<site>.yaml`:

```yaml
# yaml-language-server: $schema=../docs/site.schema.json
config:
  {CONFIG_KEY}:
    name: ai-lab
    ...
```

`gpu-cluster check FILE` says everything that is wrong with it at once. This page is written by
`gpu-cluster schema --format markdown`.
"""
_MANY: Final = 8
_PLAIN: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
}
_Schema = dict[str, Any]


def site_reference() -> str:
    """The page, as Markdown."""
    definitions: _Schema = stack_schema()["$defs"]
    parts = [
        _INTRODUCTION,
        *(_section(path, definitions[name], definitions) for path, name in _sections(definitions)),
        _gpus(),
        _fabrics(),
        _drivers(),
        _rules(),
        _planned(),
    ]
    return "\n".join(parts)


def _sections(definitions: _Schema) -> Iterator[tuple[Path, str]]:
    """Each section once, with the first path that leads to it, in the models' order."""
    seen: set[str] = set()

    def walk(path: Path, name: str) -> Iterator[tuple[Path, str]]:
        if name in seen:
            return
        seen.add(name)
        yield path, name
        section = definitions[name]
        for key, field in section["properties"].items():
            for inner, suffix in _references(field):
                yield from walk((*path, key, *suffix), inner)
        chosen = section.get("additionalProperties")
        if isinstance(chosen, dict):
            for inner, _ in _references(cast("_Schema", chosen)):
                yield from walk((*path, "<name>"), inner)

    yield from walk((), "Site")


def _references(field: _Schema) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names of the sections that a field leads to, each with what stands between."""
    if "$ref" in field:
        yield field["$ref"].rpartition("/")[2], ()
    for form in field.get("anyOf", ()):
        yield from _references(form)
    if "items" in field:
        for name, suffix in _references(field["items"]):
            yield name, (EACH, *suffix)
    if isinstance(field.get("additionalProperties"), dict):
        for name, suffix in _references(field["additionalProperties"]):
            yield name, ("<name>", *suffix)


def _heading(path: Path) -> str:
    return re.sub(r"\.\*", "[]", dotted(path))


def _section(path: Path, section: _Schema, definitions: _Schema) -> str:
    required = set(section.get("required", ()))
    rows = [
        (
            f"`{key}`",
            _kind(field, definitions),
            "**needed**" if key in required else _default(field),
            field["description"],
        )
        for key, field in section["properties"].items()
    ]
    table = _table(("key", "value", "default", "meaning"), rows)
    return f"## `{_heading(path)}`\n\n{section['description']}\n\n{table}\n"


def _kind(field: _Schema, definitions: _Schema) -> str:
    """What may stand under a key, in words."""
    if "anyOf" in field:
        kinds = [_kind(form, definitions) for form in field["anyOf"] if form.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in field or "const" in field:
        words = [f"`{word}`" for word in field.get("enum", (field.get("const"),))]
        return " or ".join(words) if len(words) <= _MANY else "one of the catalogue"
    if "$ref" in field:
        return "section"
    match field["type"]:
        case "array":
            inner = _kind(field["items"], definitions)
            return f"list of {inner if inner.endswith('s') else inner + 's'}"
        case "object":
            entries = field["additionalProperties"]
            return f"mapping of {_kind(entries, definitions)}s" if entries else "secret"
        case plain:
            return "date" if field.get("format") == "date" else _PLAIN[plain]


def _default(field: _Schema) -> str:
    default = field.get("default")
    if default in (None, "", [], {}):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _gpus() -> str:
    rows = [
        (
            f"`{model.name}`",
            model.architecture,
            model.oldest_driver or "any",
            _layouts(model.mig.layouts) if model.mig is not None else "no MIG",
            (model.oldest_mig_driver or "unknown") if model.mig is not None else "",
        )
        for model in GPUS.values()
    ]
    heads = ("model", "architecture", "oldest driver", "MIG layouts", "oldest driver with MIG")
    return f"## GPUs\n\n{_table(heads, rows)}\n"


def _fabrics() -> str:
    names = {"infiniband": "InfiniBand", "ethernet": "RoCE"}
    rows = [
        (f"`{fabric.name}`", names[fabric.link], f"{fabric.gbit_per_s} Gbit/s")
        for fabric in FABRICS.values()
    ]
    return f"## Fabrics\n\n{_table(('fabric', 'technology', 'one port'), rows)}\n"


def _layouts(layouts: Sequence[str]) -> str:
    return " ".join(f"`{layout}`" for layout in layouts)


def _drivers() -> str:
    known = ", ".join(f"`{version}`" for version in qualified())
    rows = [
        (
            str(branch.number),
            branch.kind,
            str(branch.end_of_life or ("ended" if branch.ended else "")),
            str(branch.max_cuda),
        )
        for branch in branches().values()
    ]
    table = _table(("branch", "kind", "last day", "newest CUDA"), rows)
    return f"## Drivers\n\nThe GPU Operator that is pinned here names {known}.\n\n{table}\n"


def _rules() -> str:
    rows = [
        (f"`{rule.id}`", str(rule.severity), "yes" if rule.waivable else "no", rule.says)
        for rule in RULES.values()
    ]
    table = _table(("rule", "severity", "can be accepted", "what it holds against a site"), rows)
    return f"## Rules\n\n{table}\n"


def _planned() -> str:
    rows = [
        (f"`{_heading(path)}`{value}", planned.what, planned.meanwhile)
        for path, value, planned in planned_words()
    ]
    table = _table(("key", "what it will be", "until then"), rows)
    return f"## Planned, and refused by name until then\n\n{table}\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
