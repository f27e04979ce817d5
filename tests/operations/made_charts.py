"""Charts with CRDs in them, packed and not, for tests."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

NAME = "things.example.org"


def crd(name: str = NAME, **properties: str) -> dict[str, Any]:
    """A CRD whose objects have these fields, by the field's type."""
    plural, _, group = name.partition(".")
    spec = {"type": "object", "properties": {key: {"type": one} for key, one in properties.items()}}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "names": {"kind": plural[:-1].title(), "plural": plural},
            "scope": "Cluster",
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def packed(files: Mapping[str, str | bytes], folder: str = "chart") -> bytes:
    """A chart's archive, as Helm packs one."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path, text in files.items():
            content = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(f"{folder}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def unpacked(folder: Path, files: Mapping[str, str]) -> Path:
    """A chart's folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def manifest(*documents: Mapping[str, Any]) -> str:
    """Documents in one file."""
    return yaml.safe_dump_all(documents)
