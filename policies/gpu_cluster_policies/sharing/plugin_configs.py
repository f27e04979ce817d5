"""Configurations of the device plugin, in ConfigMaps and in the operator's chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

import yaml

from gpu_cluster_policies.pods import VALUES, values_of
from gpu_cluster_policies.reading import NOTHING, Fields, at, entries, fields, number, string
from gpu_cluster_policies.resources import Resource

CONFIG_MAP: Final = "core/ConfigMap"
_WORDS: Final = ("sharing", "flags")
CONFIG_READS: Final = {CONFIG_MAP: ("metadata", "data"), **VALUES}


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """One configuration of the device plugin.

    Attributes:
        name: Its key, which nodes choose it by.
        path: Where it stands in the resource.
        content: What it says.
    """

    name: str
    path: str
    content: Fields

    @property
    def strategy(self) -> str:
        """The MIG strategy that it sets; empty where it sets none."""
        return string(self.content, "flags", "migStrategy")

    def shares_by(self, way: str) -> bool:
        """Whether it gives one GPU to several: `timeSlicing` or `mps`."""
        return any(
            (number(one, "replicas") or 0) > 1
            for one in entries(self.content, "sharing", way, "resources")
        )

    def renames(self, way: str) -> bool:
        """Whether shared GPUs have another name than whole ones."""
        shared = fields(self.content, "sharing", way)
        if at(shared, "renameByDefault") is True:
            return True
        several = [
            one for one in entries(shared, "resources") if (number(one, "replicas") or 0) > 1
        ]
        return bool(several) and all(string(one, "rename") for one in several)


def plugin_configs(resource: Resource) -> Iterator[PluginConfig]:
    """Every configuration of the device plugin in a resource."""
    if resource.sort == CONFIG_MAP:
        found, path = fields(resource.props, "data"), "data"
    else:
        found = fields(values_of(resource), "devicePlugin", "config", "data")
        path = "values.devicePlugin.config.data"
        if not found:
            # The plugin's own chart.
            found, path = fields(values_of(resource), "config", "map"), "values.config.map"
    for name, content in found.items():
        # To parse every file of every ConfigMap would take longer than all other rules together.
        if isinstance(content, str) and not any(f"{word}:" in content for word in _WORDS):
            continue
        parsed = parsed_yaml(content)
        if any(word in parsed for word in _WORDS):
            yield PluginConfig(name, f"{path}.{name}", parsed)


def parsed_yaml(content: object) -> Fields:
    """A file of YAML as data; empty where it is none."""
    if isinstance(content, Mapping):
        return cast("Fields", content)
    return _parsed(content) if isinstance(content, str) else NOTHING


@lru_cache(maxsize=256)
def _parsed(content: str) -> Fields:
    try:
        parsed = yaml.safe_load(content)
    except yaml.YAMLError:
        return NOTHING
    return cast("Fields", parsed) if isinstance(parsed, Mapping) else NOTHING
