"""From a stack file, or from the engine's configuration, to a site and its findings."""

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, cast

import yaml
from yaml.composer import ComposerError

from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.findings import Finding, error, has_errors, warning
from pulumi_gpu_cluster.reading.shape import validated
from pulumi_gpu_cluster.reading.structure import dotted
from pulumi_gpu_cluster.reading.yaml_text import Loader, Reader, TooLarge
from pulumi_gpu_cluster.secret import CONFIG_KEY, OPAQUE, plain_secrets
from pulumi_gpu_cluster.site import Site
from pulumi_gpu_cluster.wording import nearest

_NAMESPACE: Final = "gpu-cluster:"
# As PyYAML says it, and libyaml's reader as well.
_SECOND: Final = "but found another document"


class Loaded(NamedTuple):
    """A site with what there is to say about it.

    Attributes:
        site: The site; None where a finding is an error.
        findings: All findings, errors first.
    """

    site: Site | None
    findings: tuple[Finding, ...]


def load_stack_file(path: Path, *, as_of: dt.date | None = None) -> Loaded:
    """Reads and checks the site in a stack file, without the engine.

    Args:
        path: The stack file; encrypted values in it stay closed.
        as_of: The day that rules with a date judge by; today by default.
    """
    with _collector_at_rest():
        return _checked(read_stack_file(path), as_of)


def site_from_config(raw: object, *, as_of: dt.date | None = None, quote: bool = False) -> Loaded:
    """Checks the site that the engine has decrypted.

    Args:
        raw: What `pulumi.Config("gpu-cluster").get_object("site")` gives.
        as_of: The day that rules with a date judge by; today by default.
        quote: Whether findings may quote the file's values. The engine does not tell which of
            them are secret, so by default none is.
    """
    if raw is None:
        return Loaded(None, (_no_site("the stack's configuration"),))
    return _checked(Loaded(*validated(Site, raw, quote=quote)), as_of)


def read_stack_file(path: Path) -> Loaded:
    """Reads the site in a stack file and judges its shape only."""
    reader = Reader()
    try:
        text = path.read_bytes().decode("utf-8-sig")
        raw = _site_of(reader, yaml.compose(text, Loader=Loader), path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TooLarge) as failure:
        return Loaded(None, (_unreadable(path, failure),))
    if raw is None:
        return Loaded(None, tuple(reader.findings))
    site, faults = validated(Site, raw, quote=True)
    found = (*reader.findings, *faults, *_plain_secrets(raw), *_left_empty(raw, faults))
    return Loaded(None if has_errors(found) else site, found)


@contextmanager
def _collector_at_rest() -> Generator[None, None, None]:
    """Keeps the garbage collector from walking a growing tree that holds no garbage.

    For a site of a thousand tenants that is a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _checked(read: Loaded, as_of: dt.date | None) -> Loaded:
    if read.site is None:
        return read
    found = (*read.findings, *check(read.site, as_of or dt.datetime.now(dt.UTC).date()))
    return Loaded(None if has_errors(found) else read.site, found)


def _site_of(reader: Reader, document: yaml.Node | None, path: Path) -> object:
    """The site's plain data, or None with a finding where the file holds none."""
    if document is None:
        reader.findings.append(error("empty-file", str(path), "is empty", _HOW))
        return None
    top = _entries(reader, document, str(path))
    names = _entries(reader, top.get("config"), "config")
    if CONFIG_KEY not in names:
        reader.findings.append(_no_site(str(path), nearest(CONFIG_KEY, names)))
        return None
    for name in names:
        if name.startswith(_NAMESPACE) and name != CONFIG_KEY:
            message = f"there is no setting {name}"
            reader.findings.append(
                error("unknown-key", f"config.{name}", message, f"the one setting is {CONFIG_KEY}")
            )
    raw = reader.read(names[CONFIG_KEY], "site")
    if raw is OPAQUE:
        message = "is encrypted as a whole"
        fix = "write it in plain, and set each secret by itself with --secret --path"
        reader.findings.append(error("secret-not-allowed", "site", message, fix))
        return None
    return {} if raw is None else raw


def _entries(reader: Reader, node: yaml.Node | None, path: str) -> dict[str, yaml.Node]:
    return reader.entries(node, path) if isinstance(node, yaml.MappingNode) else {}


def _plain_secrets(raw: object) -> tuple[Finding, ...]:
    return tuple(
        error(
            "secret-in-plain-text",
            dotted(path),
            "a secret in plain text",
            f"count it as known to others: make a new one, and set it by "
            f"pulumi config set --secret --path '{dotted(path, CONFIG_KEY)}'",
            waivable=False,
        )
        for path in plain_secrets(Site, raw)
    )


def _left_empty(raw: object, faults: Sequence[Finding]) -> Iterator[Finding]:
    """Keys with nothing behind them, which count as left out: `monitoring:` switches nothing on."""
    told = {fault.path for fault in faults}
    for path in _nothing_at(raw, ()):
        if dotted(path) not in told:
            message = "is empty, and counts as if the key were not there"
            fix = "write its value, {} for a section with nothing but defaults, or remove the key"
            yield warning("empty-key", dotted(path), message, fix)


def _nothing_at(raw: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if raw is None:
        yield path
    elif isinstance(raw, dict):
        for key, below in cast("dict[str, object]", raw).items():
            yield from _nothing_at(below, (*path, key))
    elif isinstance(raw, list):
        for index, below in enumerate(cast("list[object]", raw)):
            yield from _nothing_at(below, (*path, index))


_HOW: Final = f"write the site below config: {{{CONFIG_KEY}: ...}}"


def _no_site(where: str, close: str | None = None) -> Finding:
    fix = f"rename {close} to {CONFIG_KEY}" if close else _HOW
    return error("site-missing", where, f"there is no {CONFIG_KEY} in it", fix)


def _unreadable(path: Path, failure: Exception) -> Finding:
    """Why no YAML came out of the file."""
    where = str(path)
    if isinstance(failure, yaml.MarkedYAMLError):
        return _syntax(path, failure)
    if isinstance(failure, OSError):
        message = (failure.strerror or "cannot be read").lower()
        return error("unreadable-file", where, message, "name a stack file that exists")
    if isinstance(failure, UnicodeDecodeError):
        message = f"is not UTF-8 at byte {failure.start}"
        return error("not-utf-8", where, message, "save it as UTF-8")
    if isinstance(failure, TooLarge):
        message = "is nested too deeply, or its aliases make it too large"
        return error("yaml-too-large", where, message, "write it flat, without aliases")
    return error("yaml-syntax", where, "holds a character that YAML forbids", "remove it")


def _syntax(path: Path, failure: yaml.MarkedYAMLError) -> Finding:
    mark = failure.problem_mark or failure.context_mark
    where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark is not None else str(path)
    if isinstance(failure, ComposerError) and failure.problem == _SECOND:
        message = "begins a second document, and the engine reads one"
        fix = "remove the line --- there, and what is no part of this stack"
        return error("yaml-documents", where, message, fix)
    return error(
        "yaml-syntax",
        where,
        f"is no YAML from here on: {failure.problem or failure.context}",
        "look at the indentation and the quotes here and above; inside {...} a hostlist such as "
        '"gpu[01-12]" needs quotes',
    )
