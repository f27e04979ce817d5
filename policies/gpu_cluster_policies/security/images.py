"""Images: of a version that is named, from a registry that is allowed."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from pulumi_policy import Severity

from gpu_cluster_policies.pods import VALUES, WORKLOADS, pod_specs
from gpu_cluster_policies.reading import Fields, at, fields, string, walk
from gpu_cluster_policies.resources import UNKNOWN, Resource
from gpu_cluster_policies.rule import Config, Fault, ResourceRule, Verdict

_DOCKER_HUB: Final = "docker.io"
_REGISTRIES: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Registries, with or without the first part of a path, that images may come "
    "from; * stands for any characters. Without it every registry is allowed.",
    "items": {"type": "string"},
}


def _images(resource: Resource) -> Iterator[tuple[str, str]]:
    """Every image that a workload or the values of a chart name, and where."""
    if resource.sort in WORKLOADS:
        for pod in pod_specs(resource):
            for container in pod.containers:
                image = string(container, "image")
                if image:
                    yield f"container {string(container, 'name')}", image
        return
    for path, key, found in walk(fields(resource.props, "values"), "values"):
        if key == "image" and isinstance(found, str) and "/" in found:
            yield path, found
        elif isinstance(found, Mapping):
            yield from _by_parts(path, cast("Fields", found))


def _by_parts(path: str, image: Fields) -> Iterator[tuple[str, str]]:
    """An image as most charts take it: registry, repository, tag, digest.

    What the values leave out is the chart's to say, so only what they do say is put together.
    """
    if UNKNOWN in (image.get("repository"), image.get("registry"), image.get("tag")):
        return
    repository, registry = string(image, "repository"), string(image, "registry")
    if not repository or "://" in repository or not _is_image(path, image):
        return
    name = f"{registry.rstrip('/')}/{repository}" if registry else repository
    if string(image, "image"):
        name = f"{name}/{string(image, 'image')}"  # As the GPU Operator's values have it.
    tag = string(image, "tag") or string(image, "version") if "tag" in image else None
    digest = string(image, "digest")
    if digest:
        yield path, f"{name}@{digest}"
    else:
        # No tag at all is the chart's own, which its version pins.
        yield path, name if tag == "" else f"{name}:{tag or '(the chart)'}"


def _is_image(path: str, image: Fields) -> bool:
    return "image" in path.lower() or at(image, "tag") is not None or "image" in image


def _untagged(resource: Resource, config: Config) -> Iterator[Verdict]:
    del config
    for where, image in _images(resource):
        tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
        if "@" not in image and tag in {"", "latest"}:
            yield Fault(resource, f"{where} has the image {image}, of no fixed version")


IMAGE_WITHOUT_TAG: Final = ResourceRule(
    id="image-without-tag",
    description="Every image is named with a tag other than latest, or with a digest.",
    why="Two nodes run two programs under one name, and nobody can go back to yesterday's.",
    mend="name a version's tag or a digest",
    severity=Severity.MEDIUM,
    tags=("security", "images"),
    reads={**WORKLOADS, **VALUES},
    judge=_untagged,
)


def _foreign(resource: Resource, config: Config) -> Iterator[Verdict]:
    allowed = config.get("allowedRegistries")
    if allowed is None:
        return
    for where, image in _images(resource):
        registry = registry_of(image)
        full = image if image.startswith(f"{registry}/") else f"{registry}/{image}"
        if not any(
            fnmatch.fnmatchcase(registry, one) or fnmatch.fnmatchcase(full, f"{one.rstrip('/')}/*")
            for one in allowed
        ):
            yield Fault(resource, f"{where} takes {image} from {registry}")


def registry_of(image: str) -> str:
    """The registry that an image comes from; Docker's own where none is named."""
    first, slash, _ = image.partition("/")
    named = slash and ("." in first or ":" in first or first == "localhost")
    return first if named else _DOCKER_HUB


IMAGE_OUTSIDE_REGISTRIES: Final = ResourceRule(
    id="image-outside-registries",
    description="Images come from the registries that the configuration allows.",
    why="What nobody mirrors or scans runs beside tenants' data, and is gone when its registry is.",
    mend="mirror it, or name the registry in allowedRegistries",
    severity=Severity.HIGH,
    tags=("security", "images"),
    reads={**WORKLOADS, **VALUES},
    judge=_foreign,
    settings={"allowedRegistries": dict(_REGISTRIES)},
)
