"""The user's kubeconfig: where it lies, and how it is refused without repeating what is in it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final, cast

import yaml

from pulumi_gpu_cluster.operations.api_server import FIELD_MANAGER, AccessError, ApiServer

KUBECONFIG_FROM: Final = "GPU_CLUSTER_KUBECONFIG"
"""`-`: the kubeconfig comes on standard input. That is how the program hands it over, since
neither a command line nor an environment keeps a secret."""


def open_api_server(
    environment: Mapping[str, str], stdin: IO[str], context: str | None = None
) -> ApiServer:
    """Finds the kubeconfig and opens the way to the API server of one of its contexts.

    Args:
        environment: GPU_CLUSTER_KUBECONFIG and KUBECONFIG are read from it.
        stdin: Read where GPU_CLUSTER_KUBECONFIG is `-`.
        context: The context; None for the current one.

    Raises:
        AccessError: There is no kubeconfig, or it makes no sense. Its text is never repeated.
    """
    if environment.get(KUBECONFIG_FROM) == "-":
        return api_server_of(stdin.read(), "the kubeconfig on standard input", context=context)
    listed = [path for path in environment.get("KUBECONFIG", "").split(":") if path]
    paths = [Path(path).expanduser() for path in listed or ["~/.kube/config"]]
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            return api_server_of(_read(path), f"the kubeconfig {path}", path, context)
    raise AccessError(
        f"there is no kubeconfig at {', '.join(map(str, paths))}; fix: set KUBECONFIG to one"
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise AccessError(f"cannot read the kubeconfig {path}: {reason}") from None


def api_server_of(
    text: str, what: str, path: Path | None = None, context: str | None = None
) -> ApiServer:
    """Opens the way to the API server that a kubeconfig names.

    Args:
        text: The kubeconfig, YAML or JSON.
        what: What it is called in messages.
        path: Where it was read, which files that it names are relative to.
        context: The context; None for the current one.

    Raises:
        AccessError: It makes no sense. Its text is never repeated.
    """
    from lightkube import Client, KubeConfig  # noqa: PLC0415 (slow to import)
    from lightkube.core.exceptions import ConfigError  # noqa: PLC0415 (slow to import)
    from msgspec import ValidationError  # noqa: PLC0415 (slow to import)

    # Parsers quote what they stumble over, and that may be a key: only the kind of fault is told.
    try:
        raw = _parsed(text)
        chosen = cast("Any", KubeConfig).from_dict(raw, fname=path).get(context)
    except (ConfigError, KeyError, TypeError, ValueError, ValidationError, yaml.YAMLError) as error:
        raise AccessError(
            f"{what} makes no sense ({type(error).__name__}); fix: it needs clusters, contexts, "
            "users and, in current-context or as asked for, the name of one of the contexts"
        ) from None
    if chosen is None or chosen.user is None:
        raise AccessError(f"{what} names no user in the context; fix: add one")
    try:
        client = Client(
            chosen, field_manager=FIELD_MANAGER, proxy=_proxy(raw, chosen.context.cluster)
        )
    except (ConfigError, OSError, ValueError) as error:
        raise AccessError(
            f"{what} names certificates or keys that cannot be used ({type(error).__name__}); "
            "fix: check them"
        ) from None
    return ApiServer(client, chosen.cluster.server)


def _parsed(text: str) -> dict[str, Any]:
    raw: object = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    if not isinstance(raw, dict):
        raise TypeError
    return cast("dict[str, Any]", raw)


def _proxy(raw: dict[str, Any], cluster: str) -> str | None:
    """The proxy of a cluster, which the client library does not read."""
    for entry in raw["clusters"]:
        if entry["name"] == cluster:
            url: str | None = entry["cluster"].get("proxy-url")
            return url
    return None
