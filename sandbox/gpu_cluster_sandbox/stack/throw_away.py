"""Throw-away secrets for the working copy: every one that the site needs, made once.

The user's own are closed to us, and none of them belongs on a simulated cluster. What is made here
stays in the working copy, so that a second run finds the same and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence
from types import MappingProxyType
from typing import Any, Final, cast

from pulumi_gpu_cluster.cli.secrets import make
from pulumi_gpu_cluster.reading.structure import EACH, Path
from pulumi_gpu_cluster.secret import Generated, MissingSecret, missing_secrets, secret_paths
from pulumi_gpu_cluster.site import Site

_GIVEN: Final[Mapping[str, str]] = MappingProxyType(
    {"text": "throw-away", "url": "https://throw-away.invalid/"}
)

Node = MutableMapping[str, Any]


def take_out_secrets(site: Node) -> dict[Path, object]:
    """Takes every encrypted value out of a site's plain data.

    Args:
        site: The plain data, which is changed.

    Returns:
        The encrypted values by their paths.
    """
    found = list(_encrypted(site))
    for path, holder, _ in found:
        del holder[path[-1]]
    return {path: value for path, _, value in found}


def wanted_secrets(site: Site, held: Mapping[Path, object]) -> tuple[MissingSecret, ...]:
    """What the working copy needs: what is missing, and what the user had.

    Args:
        site: The site without any encrypted value.
        held: The values that the user's file had.
    """
    missing = {one.path: one for one in missing_secrets(site)}
    for path in held:
        for pattern, mark in secret_paths(Site):
            if _fits(path, pattern):
                missing.setdefault(path, MissingSecret(path, mark))
    return tuple(missing.values())


def put_back(site: Node, path: Path, value: object) -> None:
    """Puts an encrypted value where it belongs, with the sections around it."""
    here: Any = site
    for step in path[:-1]:
        here = here[step] if isinstance(step, int) else here.setdefault(step, {})
    here[path[-1]] = value


def made(secret: MissingSecret) -> str:
    """A throw-away value of the right form."""
    if isinstance(secret.mark, Generated):
        return make(secret.mark)
    return _GIVEN[secret.mark.form]


def _encrypted(node: object, before: Path = ()) -> Iterator[tuple[Path, Any, object]]:
    """Each encrypted value: its path, what holds it, and itself."""
    entries: list[tuple[str | int, object]] = []
    if isinstance(node, MutableMapping):
        entries = list(cast("Node", node).items())
    elif isinstance(node, MutableSequence):
        entries = list(enumerate(cast("MutableSequence[object]", node)))
    for key, value in entries:
        if _is_encrypted(value):
            yield (*before, key), node, value
        else:
            yield from _encrypted(value, (*before, key))


def _is_encrypted(value: object) -> bool:
    return isinstance(value, Mapping) and set(cast("Node", value)) == {"secure"}


def _fits(path: Path, pattern: Path) -> bool:
    return len(path) == len(pattern) and all(
        wanted in (EACH, step) for step, wanted in zip(path, pattern, strict=True)
    )
