"""Helm post-renderer: marks every CRD that passes through as one that Helm must not delete.

Some charts carry their CRDs among the templates. Uninstalling such a release deletes the CRDs
and with them every object of their kinds: all queues, all jobs. The mark
`helm.sh/resource-policy: keep` prevents that.

The text is edited line by line and not parsed and written anew: a manifest that went through a
YAML library comes out with other quotes and sometimes with other types.
"""

from __future__ import annotations

import re
import sys
from typing import Final

POLICY: Final = "helm.sh/resource-policy"

_DOCUMENT_START = re.compile(r"(?m)^---(?=\s|$).*\n?")
_IS_CRD = re.compile(r"(?m)^kind:[ \t]*[\"']?CustomResourceDefinition[\"']?[ \t]*(#.*)?$")
_METADATA = re.compile(r"(?m)^metadata:[ \t]*(#.*)?\n(?P<body>(?:[ \t]+.*\n?|[ \t]*\n|#.*\n)*)")
_FIRST_KEY = re.compile(r"(?m)^(?P<indent> +)\S")
_ANNOTATIONS = re.compile(
    r"(?m)^(?P<indent> +)annotations:[ \t]*(?P<inline>\{\}|null|~)?[ \t]*(#.*)?$\n?"
)


def keep_crds(manifest: str) -> str:
    """The manifest with the mark on each CRD, otherwise unchanged to the byte.

    Raises:
        ValueError: A CRD is written in a way that cannot be marked line by line.
    """
    if not manifest.endswith("\n"):
        manifest += "\n"
    result: list[str] = []
    position = 0
    for start in _DOCUMENT_START.finditer(manifest):
        result.append(_marked(manifest[position : start.start()]))
        result.append(start.group())
        position = start.end()
    result.append(_marked(manifest[position:]))
    return "".join(result)


def _marked(document: str) -> str:
    if not _IS_CRD.search(document):
        return document
    metadata = _METADATA.search(document)
    first = metadata and _FIRST_KEY.search(metadata["body"])
    if metadata is None or first is None:
        raise ValueError("a CustomResourceDefinition without a metadata block of its own lines")
    body = metadata["body"]
    if re.search(rf"(?m)^\s+[\"']?{re.escape(POLICY)}[\"']?:", body):
        return document
    start = metadata.start("body")
    return document[:start] + _annotated(body, first["indent"]) + document[metadata.end("body") :]


def _annotated(body: str, indent: str) -> str:
    own = next((m for m in _ANNOTATIONS.finditer(body) if m["indent"] == indent), None)
    if own is None:
        return f"{indent}annotations:\n{indent}  {POLICY}: keep\n{body}"
    if own["inline"]:
        return (
            f"{body[: own.start()]}{indent}annotations:\n{indent}  {POLICY}: keep\n"
            + (body[own.end() :])
        )
    following = _FIRST_KEY.match(body, own.end())
    deeper = following["indent"] if following and len(following["indent"]) > len(indent) else None
    return f"{body[: own.end()]}{deeper or indent + '  '}{POLICY}: keep\n{body[own.end() :]}"


def main() -> None:
    """Filters standard input to standard output, as Helm asks of a post-renderer."""
    try:
        sys.stdout.write(keep_crds(sys.stdin.read()))
    except ValueError as error:
        sys.exit(f"gpu-cluster-keep-crds: {error}; report this together with the chart's name")
