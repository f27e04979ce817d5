"""Writes the stand-in charts, where they are not there already."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gpu_cluster_sandbox.charts.catalogue import STAND_INS
from gpu_cluster_sandbox.charts.facts import load_crds, load_facts
from gpu_cluster_sandbox.charts.render import chart_files
from pulumi_gpu_cluster.catalog.charts import CHARTS


def write_charts(directory: Path, controlled: Collection[str] = ()) -> dict[str, Path]:
    """Writes every stand-in chart as an unpacked chart folder.

    A chart that is there and whole is left alone; another one is replaced as a whole, so that
    nobody finds half a chart. Several processes may call this at once.

    Args:
        directory: Where the charts go: `<directory>/<chart name>`. Made where missing.
        controlled: Charts whose operators really run, so that no stage is to play them.

    Returns:
        Each chart's folder, by the chart's name.

    Raises:
        ValueError: A pinned version or CRD has no stand-in yet; the message says which.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    with _locked(directory / ".lock"):
        for name, stand_in in STAND_INS.items():
            folder = directory / name
            files = chart_files(
                CHARTS[name],
                stand_in,
                load_facts(name),
                load_crds(name),
                played=name not in controlled,
            )
            if _content(folder) != files:
                _replace(folder, files)
            written[name] = folder
    return written


@contextmanager
def _locked(path: Path) -> Generator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", errors="replace")
        for path in folder.rglob("*")
        if path.is_file()
    }


def _replace(folder: Path, files: Mapping[str, str]) -> None:
    fresh, old = (folder.with_name(f".{folder.name}.{end}") for end in ("new", "old"))
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    for path, text in files.items():
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
