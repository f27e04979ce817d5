"""Secrets of the site file: which keys hold them, where they come from, which are missing.

Every secret key of the models carries a mark. A generated one is made once by
`gpu-cluster secrets init` and kept for ever; a given one comes from the user. The program makes
no secret itself: a program that did would make another one on another machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, cast

from pydantic import SecretStr

from pulumi_gpu_cluster.reading.structure import EACH, Path, dotted, leaves
from pulumi_gpu_cluster.section import Section

CONFIG_KEY: Final = "gpu-cluster:site"
"""The key of the stack's configuration under which the site lies."""


class EncryptedValue(SecretStr):
    """A `secure:` value of a stack file, read without its key: nobody knows what is in it."""


OPAQUE: Final = EncryptedValue("encrypted")
"""Stands for every encrypted value of a stack file."""


@dataclass(frozen=True, slots=True)
class Generated:
    """Marks a secret that `gpu-cluster secrets init` makes.

    Attributes:
        kind: `password`: 32 letters and digits. `key`: 32 random bytes in base64.
    """

    kind: Literal["password", "key"]


@dataclass(frozen=True, slots=True)
class Given:
    """Marks a secret that only the user has.

    Attributes:
        what: What it is and where it is had from.
        needed: Whether the site cannot do without it where its section is present.
        form: What whoever reads it takes it for.
    """

    what: str
    needed: bool = True
    form: Literal["text", "url"] = "text"


@dataclass(frozen=True, slots=True)
class MissingSecret:
    """A secret that the site needs and does not have.

    Attributes:
        path: Its path, without the leading `site`.
        mark: Where it comes from.
    """

    path: Path
    mark: Generated | Given

    @property
    def config_path(self) -> str:
        """Its path for `pulumi config set --path`."""
        return dotted(self.path, CONFIG_KEY)


@cache
def secret_paths(model: type[Section]) -> tuple[tuple[Path, Generated | Given], ...]:
    """Where secrets may stand below a model, with their marks; EACH stands for any entry."""
    found: list[tuple[Path, Generated | Given]] = []
    for path, key in leaves(model):
        found += [(path, mark) for mark in key.marks if isinstance(mark, (Generated, Given))]
    return tuple(found)


def missing_secrets(site: Section) -> tuple[MissingSecret, ...]:
    """The secrets that the site needs and does not have, in the order of the model."""
    return tuple(
        MissingSecret(path, mark)
        for pattern, mark in secret_paths(type(site))
        if isinstance(mark, Generated) or mark.needed
        for path, value in _at(site, pattern)
        if value is None
    )


def plain_secrets(model: type[Section], raw: object) -> Iterator[Path]:
    """Paths at which the file holds a secret in plain text.

    Args:
        model: The model of the whole.
        raw: What the file holds, with encrypted values read as OPAQUE.
    """
    for pattern, _ in secret_paths(model):
        for path, value in _at(raw, pattern):
            if value is not None and not isinstance(value, SecretStr):
                yield path


def _at(root: object, pattern: Path, before: Path = ()) -> Iterator[tuple[Path, object]]:
    """The values at a pattern, in models or in plain data; nothing where a section is absent."""
    if not pattern:
        yield before, root
        return
    step, rest = pattern[0], pattern[1:]
    for name, child in _children(root, step):
        yield from _at(child, rest, (*before, name))


def _children(root: object, step: str | int) -> Iterator[tuple[str | int, object]]:
    if isinstance(root, Section):
        yield step, getattr(root, str(step))
    elif isinstance(root, Mapping):
        entries = cast("Mapping[str, object]", root)
        if step == EACH:
            yield from entries.items()
        elif step in entries:
            yield step, entries[str(step)]
    elif step == EACH and isinstance(root, (list, tuple)):
        yield from enumerate(cast("Sequence[object]", root))
