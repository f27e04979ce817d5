"""Whether the site file has the shape it should have: every fault as a finding in our words.

The model's own errors know the place and the kind of a fault; here they become what a person
reads. What the file holds is quoted only where it cannot be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar, cast

from pydantic import SecretStr, ValidationError

from pulumi_gpu_cluster.findings import Finding, error
from pulumi_gpu_cluster.reading.documentation import documentation
from pulumi_gpu_cluster.reading.not_offered import planned_key, planned_value
from pulumi_gpu_cluster.reading.structure import (
    EACH,
    Path,
    dotted,
    keys_of,
    open_section,
    section_at,
)
from pulumi_gpu_cluster.secret import secret_paths
from pulumi_gpu_cluster.section import WORDS, Section
from pulumi_gpu_cluster.wording import instead, shown

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_Model = TypeVar("_Model", bound=Section)

_NUMBER: Final = ("a whole number", "write digits only")
_MAPPING: Final = ("a mapping", "write keys with values below it")
_DATE: Final = ("a date", "write it as 2027-01-31")
_TRUTH: Final = ("a truth value", "write true or false")
_WANTED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "string_type": ("a text", "put it in quotes if YAML takes it for something else"),
        "int_type": _NUMBER,
        "int_parsing": _NUMBER,
        "int_from_float": _NUMBER,
        "int_parsing_size": _NUMBER,
        "finite_number": _NUMBER,
        "bool_type": _TRUTH,
        "bool_parsing": _TRUTH,
        "model_type": _MAPPING,
        "dict_type": _MAPPING,
        "mapping_type": _MAPPING,
        "tuple_type": ("a list", "write its entries below it, each after a dash"),
        "date_type": _DATE,
        "date_parsing": _DATE,
        "date_from_datetime_parsing": _DATE,
        "date_from_datetime_inexact": _DATE,
    }
)
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "greater_than_equal": ("at least", "ge"),
        "less_than_equal": ("at most", "le"),
    }
)


def validated(
    model: type[_Model], raw: object, *, quote: bool
) -> tuple[_Model | None, tuple[Finding, ...]]:
    """Reads plain data into a model.

    Args:
        model: The model.
        raw: The plain data.
        quote: Whether findings may quote what the data holds.

    Returns:
        The model, or None and every fault of the data's shape.
    """
    try:
        return model.model_validate(raw), ()
    except ValidationError as failure:
        faults = failure.errors(include_url=False)
    secrets = [path for path, _ in secret_paths(model)]
    found: list[Finding] = []
    for fault in faults:
        path = _written(raw, fault)
        if _counts_only_the_sound(fault):
            continue
        # Who writes a secret at a wrong place writes it above or below its own.
        general = _general(path)
        hidden = not quote or any(
            secret[: len(general)] == general or general[: len(secret)] == secret
            for secret in secrets
        )
        found.append(_finding(model, path, fault, None if hidden else shown(fault["input"])))
    # A shorthand and the object behind it may both complain of one value.
    return None, tuple(dict.fromkeys(found))


def _counts_only_the_sound(fault: ErrorDetails) -> bool:
    """Whether a list is called too short because some of its entries have faults of their own."""
    entries = fault["input"]
    if fault["type"] != "too_short" or not isinstance(entries, (list, tuple)):
        return False
    least: int = fault.get("ctx", {})["min_length"]
    return len(cast("Sequence[object]", entries)) >= least


def _written(raw: object, fault: ErrorDetails) -> Path:
    """The path as it stands in the file: a shorthand has no keys below it."""
    steps: list[str | int] = []
    here = raw
    for step in fault["loc"]:
        below = _below(here, step)
        if step not in below:
            return (*steps, step) if fault["type"] == "missing" else tuple(steps)
        steps.append(step)
        here = below[step]
    return tuple(steps)


def _below(here: object, step: str | int) -> Mapping[str | int, object]:
    if isinstance(here, Mapping):
        return cast("Mapping[str | int, object]", here)
    if isinstance(here, (list, tuple)) and isinstance(step, int):
        return dict(enumerate(cast("Sequence[object]", here)))
    return {}


def _general(path: Path) -> Path:
    return tuple(EACH if isinstance(step, int) else step for step in path)


def _finding(model: type[Section], path: Path, fault: ErrorDetails, value: str | None) -> Finding:
    """One fault as a finding.

    Args:
        model: The model of the whole.
        path: Where the fault is.
        fault: What pydantic says of it.
        value: The value that is there, as a message shows it; None where it may be a secret.
    """
    known = planned_value(path, fault["input"]) or _unknown_key(model, path, fault)
    if known is not None:
        return known
    if isinstance(fault["input"], SecretStr):
        return error(
            "secret-not-allowed",
            dotted(path),
            "is encrypted, and no secret belongs here",
            "set it as plain configuration, without --secret",
        )
    return _fault(model, path, fault, value)


def _unknown_key(model: type[Section], path: Path, fault: ErrorDetails) -> Finding | None:
    """The finding about a key that nothing here has, if that is the fault."""
    section = section_at(model, path[:-1]) if path else None
    if section is None or not isinstance(path[-1], str) or path[-1] in keys_of(section):
        return None
    known = list(keys_of(section))
    if fault["type"] == "extra_forbidden":
        planned = planned_key(path)
        if planned is not None:
            return planned
        key = path[-1] if path[-1].strip() else shown(path[-1])
        message = f"there is no key {key} here"
        return error("unknown-key", dotted(path), message, instead(path[-1], known))
    inner = open_section(section)
    if inner is None:
        return None
    pattern, words = section.open_keys
    # A value instead of a section, as in `gpus: 8`, shows a key at the wrong place; no value at
    # all shows a section that was never written.
    misplaced = fault["type"] == "model_type" and fault["input"] is not None
    if re.fullmatch(pattern, path[-1]) and not misplaced:
        return None
    message = f"{path[-1]} is neither a key here nor {words}"
    below = keys_of(inner)
    fix = (
        f"move it below {words}"
        if path[-1] in below or re.fullmatch(inner.open_keys[0] or "(?!)", path[-1])
        else instead(path[-1], known, "known keys are")
    )
    return error("unknown-key", dotted(path), message, fix)


def _fault(model: type[Section], path: Path, fault: ErrorDetails, value: str | None) -> Finding:
    where, kind = dotted(path), fault["type"]
    this = value or "this"
    context = fault.get("ctx", {})
    if kind == "missing":
        return error("missing-key", where, "is missing", _what_to_add(model, path))
    if kind in _WANTED:
        wanted, fix = _WANTED[kind]
        return error("wrong-type", where, f"{this} is not {wanted}", fix)
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        bound = f"{words} {context[key]}"
        return error("out-of-range", where, f"{this} is not {bound}", f"write {bound}")
    return _fault_of_text(where, fault, value)


def _fault_of_text(where: str, fault: ErrorDetails, value: str | None) -> Finding:
    this = value or "this"
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        message = f"{this} is not one of the choices"
        return error("not-a-choice", where, message, instead(str(fault["input"]), choices))
    if kind == "string_pattern_mismatch":
        words = WORDS[context["pattern"]]
        return error("malformed", where, f"{this} is not {words}", "write it that way")
    if kind in ("too_short", "string_too_short"):
        least = context["min_length"]
        unit = "characters" if kind == "string_too_short" else "entries"
        if least == 1:
            return error("too-short", where, "is empty", "write something there, or remove the key")
        message = f"has fewer than {least} {unit}"
        return error("too-short", where, message, f"write at least {least}")
    message, _, fix = str(context.get("error", "")).partition("; ")
    if value is None or not message:
        message = "cannot be read"
    return error("malformed", where, message, fix or "see the reference of the site file")


def _what_to_add(model: type[Section], path: Path) -> str:
    section = section_at(model, path[:-1])
    text = documentation(section).get(str(path[-1]), "") if section is not None else ""
    words = " ".join(text.split()).split(". ")[0].rstrip(".")
    return f"add it ({words})" if words else "add it"
