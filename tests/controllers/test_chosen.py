"""Which controllers a sandbox runs is said once."""

from __future__ import annotations

from pathlib import Path

from gpu_cluster_sandbox.charts import write_charts
from gpu_cluster_sandbox.cluster import PART_NAMES, Cluster, choose, chosen


def names(state: Path) -> list[str]:
    return [controller.program.name for controller in chosen(state)]


def test_a_sandbox_runs_no_controller_unless_asked(tmp_path: Path) -> None:
    assert names(tmp_path / "state") == []
    assert choose(tmp_path / "state", []) == ()
    assert not (tmp_path / "state").exists()


def test_what_was_chosen_once_stays(tmp_path: Path) -> None:
    choose(tmp_path / "state", ["gpu-operator"])
    assert names(tmp_path / "state") == ["gpu-operator"]
    choose(tmp_path / "state", [])
    assert names(tmp_path / "state") == ["gpu-operator"]
    assert Cluster(tmp_path / "state").part_names == (*PART_NAMES, "gpu-operator")


def test_a_chart_whose_operator_runs_brings_no_stage_that_plays_it(tmp_path: Path) -> None:
    def stages(folder: Path) -> set[str]:
        return {path.name for path in (folder / "gpu-operator" / "templates").glob("stage-*")}

    write_charts(tmp_path / "played")
    write_charts(tmp_path / "run", ["gpu-operator"])
    assert stages(tmp_path / "played")
    assert stages(tmp_path / "run") == set()
    others = {path.name for path in (tmp_path / "run" / "kueue" / "templates").glob("stage-*")}
    assert others, "only the one that runs"
