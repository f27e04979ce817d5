"""The harvested facts of each chart, as they are committed beside this module.

Two files per chart: `<name>.json`, the shape of its values, for people to read and for
reviews to compare; `<name>.crds.json.xz`, its CRDs, far too long to be read.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from gpu_cluster_sandbox.charts.shapes import Shape

DATA: Final = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class Dependency:
    """A bundled chart.

    Attributes:
        name: Its name.
        version: Its version.
        condition: Path in the values of the boolean that switches it on; empty for none.
        alias: What it is called inside its parent, where that is not its name.
    """

    name: str
    version: str
    condition: str = ""
    alias: str = ""

    @property
    def key(self) -> str:
        """Its key in its parent's values."""
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class ChartFacts:
    """What a stand-in needs to know of the real chart.

    Attributes:
        version: The version that was harvested, as published.
        app_version: The version of what it installs.
        values: The shape of its values, bundled charts' included.
        dependencies: The charts it bundles.
        unchecked: Keys of bundled charts whose values are unknown, so that nothing below
            their key is checked.
        defaults: What its values are by themselves, as far as objects are made out of them.
    """

    version: str
    app_version: str
    values: dict[str, Shape]
    dependencies: tuple[Dependency, ...]
    unchecked: tuple[str, ...]
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])


def load_facts(name: str, folder: Path = DATA) -> ChartFacts:
    """The facts of one chart."""
    raw: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return ChartFacts(
        version=raw["version"],
        app_version=raw["app_version"],
        values=raw["values"],
        dependencies=tuple(Dependency(**entry) for entry in raw["dependencies"]),
        unchecked=tuple(raw["unchecked"]),
        defaults=raw.get("defaults", {}),
    )


def load_crds(name: str, folder: Path = DATA) -> dict[str, list[dict[str, Any]]]:
    """The CRDs of one chart by the bundled chart they belong to, "" for the chart itself."""
    packed = (folder / f"{name}.crds.json.xz").read_bytes()
    crds: dict[str, list[dict[str, Any]]] = json.loads(lzma.decompress(packed))
    return crds


def save(
    name: str,
    facts: ChartFacts,
    crds: Mapping[str, list[dict[str, Any]]],
    folder: Path = DATA,
) -> bool:
    """Writes a chart's facts where they differ from what is there.

    Compressed bytes may differ between versions of the compressor, so the content is what is
    compared: harvesting the same facts again leaves no difference behind.

    Returns:
        Whether anything was written.
    """
    fields = asdict(facts)
    if not facts.defaults:
        del fields["defaults"]
    text = json.dumps(fields, indent=1, sort_keys=True) + "\n"
    path = folder / f"{name}.json"
    changed = not path.exists() or path.read_text("utf-8") != text
    if changed:
        path.write_text(text, "utf-8")
    packed = json.dumps(crds, separators=(",", ":"), sort_keys=True).encode()
    path = folder / f"{name}.crds.json.xz"
    if not path.exists() or lzma.decompress(path.read_bytes()) != packed:
        path.write_bytes(lzma.compress(packed, preset=9))
        changed = True
    return changed
