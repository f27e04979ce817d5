"""Slurm's files wherever a stack holds them, and the lines in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

from gpu_cluster_policies.pods import VALUES, is_chart, values_of
from gpu_cluster_policies.reading import Fields, at, fields, string
from gpu_cluster_policies.resources import Resource

CONFIG_MAP: Final = "core/ConfigMap"
CONTROLLER: Final = "slinky.slurm.net/Controller"
NODE_SET: Final = "slinky.slurm.net/NodeSet"
_CHART: Final = "slurm"
FILE_READS: Final = {CONFIG_MAP: ("metadata", "data"), CONTROLLER: ("metadata", "spec"), **VALUES}
_PAIR: Final = re.compile(r"(\w+)\s*=\s*(\S+)")


def is_slurm_chart(resource: Resource) -> bool:
    """Whether a release is of Slinky's chart for a Slurm cluster."""
    return is_chart(resource, _CHART)


def slurm_confs(resource: Resource) -> Iterator[tuple[str, str]]:
    """Every text that is part of a slurm.conf, and where it stands."""
    if resource.sort == CONFIG_MAP:
        yield "data.slurm.conf", string(fields(resource.props, "data"), "slurm.conf")
    elif resource.sort == CONTROLLER:
        yield "spec.extraConf", string(resource.props, "spec", "extraConf")
    elif is_slurm_chart(resource):
        controller = fields(values_of(resource), "controller")
        yield "values.controller.extraConf", string(controller, "extraConf")
        extra = fields(controller, "extraConfMap")
        yield "values.controller.extraConfMap", "\n".join(f"{key}={extra[key]}" for key in extra)


def lines(text: str) -> Iterator[Mapping[str, str]]:
    """The settings of each line, their names in lower case; comments are left out."""
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        found = _PAIR.findall(line.partition("#")[0])
        if found:
            yield {key.lower(): value for key, value in found}


def conf_of(place: Fields, *paths: tuple[str, str]) -> Mapping[str, str]:
    """Settings that are given as one text or as a mapping.

    Args:
        place: What holds them.
        paths: Names of the text and of the mapping.
    """
    found: dict[str, str] = {}
    for text, mapping in paths:
        for settings in lines(string(place, text)):
            found.update(settings)
        given = at(place, mapping)
        if isinstance(given, Mapping):
            for key, value in cast("Fields", given).items():
                several = (
                    cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
                )
                found[key.lower()] = ",".join(str(one) for one in several)
    return found
