"""What the models say of their fields: the text below each.

It is read from the source, and only where a schema or a message wants it. Left to pydantic, it
would be read whenever a model is made: a tenth of a second before every run of every program.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from pulumi_gpu_cluster.section import Section


@cache
def documentation(section: type[Section]) -> Mapping[str, str]:
    """The texts of a section's fields, its parents' among them, by the fields' names."""
    texts: dict[str, str] = {}
    for model in reversed(section.__mro__):
        if issubclass(model, Section):
            texts |= _texts(_body(model))
    return {name: text for name, text in texts.items() if name in section.model_fields}


def _body(model: type[Section]) -> list[ast.stmt]:
    return next(
        statement.body
        for statement in _module(inspect.getfile(model)).body
        if isinstance(statement, ast.ClassDef) and statement.name == model.__name__
    )


@cache
def _module(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _texts(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = below.value if isinstance(below, ast.Expr) else None
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield field.target.id, inspect.cleandoc(text.value)
