"""Every pin says where it comes from, and a bot can find and raise it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts import CHARTS, Chart

SOURCE: Final = re.compile(r"# source: \S.*, 20\d\d-\d\d-\d\d\b")
PINS: Final = [name for name in vars(versions) if name.isupper() and name != "KUBERNETES_MINORS"]


def _renovate(root: Path) -> re.Pattern[str]:
    """The expression by which the bot finds a pin, in Python's spelling."""
    settings: Any = json.loads((root / "renovate.json").read_text("utf-8"))
    (manager,) = settings["customManagers"]
    (expression,) = manager["matchStrings"]
    return re.compile(expression.replace("(?<", "(?P<"))


def _text(root: Path) -> str:
    (module,) = root.glob("components/*/catalog/versions.py")
    return module.read_text("utf-8")


@pytest.fixture
def found(root: Path) -> dict[str, dict[str, str | None]]:
    """What the bot finds, by the name of the pin."""
    matches = _renovate(root).finditer(_text(root))
    return {match[0].rpartition("\n")[2].split(":")[0]: match.groupdict() for match in matches}


@pytest.mark.parametrize("pin", PINS)
def test_a_pin_names_its_source_and_the_day_of_it(root: Path, pin: str) -> None:
    comment = _text(root).split(f"\n{pin}: Final")[0].rpartition("\n\n")[2].replace("\n# ", " ")
    assert SOURCE.search(comment), f"{pin}: `# source: <project> tag <tag>, <yyyy-mm-dd>` above it"


@pytest.mark.parametrize("pin", PINS)
def test_a_bot_finds_a_pin(found: dict[str, dict[str, str | None]], pin: str) -> None:
    assert pin in found, f"{pin}: `# renovate: datasource=... depName=...` on the line above it"
    value: str = getattr(versions, pin)
    assert found[pin]["currentValue"] == value.rpartition(":")[2]


def _address(chart: Chart) -> dict[str, str | None]:
    home = chart.repository.removeprefix("oci://")
    if home != chart.repository:
        return {"datasource": "docker", "depName": f"{home}/{chart.name}", "registryUrl": None}
    return {"datasource": "helm", "depName": chart.name, "registryUrl": home}


@pytest.mark.parametrize("name", CHARTS)
def test_a_bot_looks_for_a_chart_where_we_have_it_from(
    found: dict[str, dict[str, str | None]], name: str
) -> None:
    chart = CHARTS[name]
    # Charts that are released together may share one pin.
    together = [_address(one) for one in CHARTS.values() if one.version == chart.version]
    looked_for = [{**told, "currentValue": ""} for told in found.values()]
    assert any({**address, "currentValue": ""} in looked_for for address in together)
