"""The CRDs in a chart, packed or not, and in the charts that it bundles."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final, cast

import yaml

from pulumi_gpu_cluster.operations.crds.errors import ChartError

_KIND: Final = "CustomResourceDefinition"
# Reads a megabyte in a second where PyYAML was built with its C library, else in many.
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MANIFESTS: Final = (".yaml", ".yml", ".json")
# The largest chart with CRDs that we know of unpacks to 15 MB.
_MOST: Final = 256 * 2**20


def crds_in_folder(folder: Path, subchart: str) -> dict[str, dict[str, Any]]:
    """The CRDs of an unpacked chart, by name. As `crds_in_archive`."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return _crds(files, subchart)


def crds_in_archive(packed: bytes, subchart: str) -> dict[str, dict[str, Any]]:
    """The CRDs that lie in crds/ of a packed chart, by name.

    Args:
        packed: The archive.
        subchart: The bundled chart whose CRDs are meant, itself packed or not; empty for the
            chart's own.

    Raises:
        ChartError: It is no chart.
    """
    return _crds(_unpacked(packed), subchart)


def _unpacked(packed: bytes) -> dict[str, bytes]:
    """Files of a packed chart, without the folder that every chart is packed in."""
    files: dict[str, bytes] = {}
    room = _MOST
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is None:
                    continue
                room -= member.size
                if room < 0:
                    raise ChartError(f"the chart unpacks to more than {_MOST >> 20} MiB")
                files["/".join(PurePosixPath(member.name).parts[1:])] = content.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ChartError(f"the chart is no archive ({type(error).__name__})") from None
    return files


def _crds(files: Mapping[str, bytes], subchart: str) -> dict[str, dict[str, Any]]:
    if subchart:
        files = _bundled(files, subchart)
    found: dict[str, dict[str, Any]] = {}
    for path, content in files.items():
        if path.startswith("crds/") and path.endswith(_MANIFESTS):
            for crd in _documents(path, content):
                found[str(crd["metadata"]["name"])] = crd
    return found


def _bundled(files: Mapping[str, bytes], subchart: str) -> Mapping[str, bytes]:
    """Files of a bundled chart, which lies beside others in charts/."""
    inside = f"charts/{subchart}/"
    own = {path.removeprefix(inside): files[path] for path in files if path.startswith(inside)}
    if own:
        return own
    for path in sorted(files):
        name = path.removeprefix("charts/")
        if path.startswith(f"charts/{subchart}-") and "/" not in name and name.endswith(".tgz"):
            return _unpacked(files[path])
    return {}


def _documents(path: str, content: bytes) -> Iterator[dict[str, Any]]:
    for document in yaml_documents(content, f"{path} of the chart"):
        if isinstance(document, dict):
            crd = cast("dict[str, Any]", document)
            if crd.get("kind") == _KIND:
                yield crd


def yaml_documents(content: bytes, what: str) -> list[object]:
    """Plain data of each document.

    Args:
        content: YAML or JSON.
        what: What it is called in messages.

    Raises:
        ChartError: It is none.
    """
    try:
        return list(yaml.load_all(content, Loader=_LOADER))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ChartError(f"{what} is no YAML ({type(error).__name__})") from None
