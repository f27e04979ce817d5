"""Helm post-renderer: marks every CRD that passes through as one that Helm must not delete.

Some charts carry their CRDs among the templates. Uninstalling such a release deletes the CRDs
and with them every object of their kinds: all queues, all jobs. The mark
`helm.sh/resource-policy: keep` prevents that.

YAML is edited line by line and not parsed and written anew: a manifest that went through a YAML
library comes out with other quotes and sometimes with other types.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Final

_POLICY: Final = "helm.sh/resource-policy"
_KEEP: Final = "keep"
_KIND: Final = "CustomResourceDefinition"

_DOCUMENT_START = re.compile(r"(?m)^---(?=\s|$).*\n?")
_JSON_START = re.compile(r"(?:\s|#.*\n)*(?=\{)")
_IS_CRD = re.compile(rf"(?m)^kind:[ \t]*[\"']?{_KIND}[\"']?[ \t]*(#.*)?$")
_METADATA = re.compile(r"(?m)^metadata:[ \t]*(#.*)?\n(?P<body>(?:[ \t]+.*\n?|[ \t]*\n|#.*\n)*)")
_FIRST_KEY = re.compile(r"(?m)^(?P<indent> +)\S")
_ANNOTATIONS = re.compile(
    r"(?m)^(?P<indent> +)annotations:[ \t]*(?P<inline>\{\}|null|~)?[ \t]*(#.*)?$\n?"
)


def keep_crds(manifest: str) -> str:
    """The manifest with the mark on each CRD, otherwise unchanged to the byte.

    Raises:
        ValueError: A CRD is written in a way that cannot be marked.
    """
    result: list[str] = []
    position = 0
    for start in _DOCUMENT_START.finditer(manifest):
        result += [_marked(manifest[position : start.start()]), start.group()]
        position = start.end()
    return "".join([*result, _marked(manifest[position:])])


def _marked(document: str) -> str:
    if as_json := _JSON_START.match(document):
        return document[: as_json.end()] + _marked_json(document[as_json.end() :])
    if not _IS_CRD.search(document):
        return document
    metadata = _METADATA.search(document)
    first = metadata and _FIRST_KEY.search(metadata["body"])
    if metadata is None or first is None:
        raise ValueError(f"a {_KIND} whose metadata does not stand on lines of its own")
    body = metadata["body"]
    if re.search(rf"(?m)^\s+[\"']?{re.escape(_POLICY)}[\"']?:", body):
        return document
    start = metadata.start("body")
    return document[:start] + _annotated(body, first["indent"]) + document[metadata.end("body") :]


def _annotated(body: str, indent: str) -> str:
    mark = f"{_POLICY}: {_KEEP}\n"
    own = next((found for found in _ANNOTATIONS.finditer(body) if found["indent"] == indent), None)
    if own is None:
        return f"{indent}annotations:\n{indent}  {mark}{body}"
    before, after = body[: own.end()], body[own.end() :]
    if own["inline"]:
        return f"{body[: own.start()]}{indent}annotations:\n{indent}  {mark}{after}"
    following = _FIRST_KEY.match(after)
    deeper = following["indent"] if following and len(following["indent"]) > len(indent) else None
    return f"{before}{deeper or indent + '  '}{mark}{after}"


def _marked_json(document: str) -> str:
    value = json.loads(document)
    if value.get("kind") != _KIND:
        return document
    value.setdefault("metadata", {}).setdefault("annotations", {})[_POLICY] = _KEEP
    return json.dumps(value, indent=1) + "\n"


def main() -> None:
    """Filters standard input to standard output, as Helm asks of a post-renderer."""
    try:
        sys.stdout.write(keep_crds(sys.stdin.read()))
    except ValueError as error:
        sys.exit(f"gpu-cluster-keep-crds: {error}; please report it with the chart's name")
