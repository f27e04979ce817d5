"""A run is killed at a random point; the next one must bring everything up all the same.

`KILLS=10 make test ARGS=tests/sandbox/test_kills.py` kills each victim ten times; the ordinary
run does so once, since every kill costs a teardown and two runs.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandbox_project import Project, RunningSite, bring_up

KILLS = int(os.environ.get("KILLS", "1"))
SEED = int(os.environ.get("KILL_SEED", str(random.SystemRandom().randrange(10_000))))
VICTIMS = {
    "program": "pulumi-language-python-exec",
    "provider": "pulumi-resource-kubernetes",
    "command-line": "pulumi",
}


@pytest.fixture(scope="module")
def small(project: Project, sandbox_site: dict[str, Any]) -> Iterator[RunningSite]:
    """One pool and one tenant: all kinds of resources, few of each."""
    document = json.loads(json.dumps(sandbox_site))
    site = document["config"]["gpu-cluster:site"]
    site["node_pools"] = [dict(site["node_pools"][0], nodes="gpu[01-02]")]
    site["tenants"] = [
        dict(site["tenants"][0], quota={"train": {"gpu": {"guarantee": 8, "ceiling": 16}}})
    ]
    project.write_site(document, "small")
    yield bring_up(project, "small")
    project.sandbox("stop", "--site", "small")


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("point", range(KILLS))
def test_a_run_that_was_killed_is_made_whole_by_the_next(
    small: RunningSite, victim: str, point: int
) -> None:
    destroyed = small.pulumi("destroy", "--yes", "--skip-preview")
    assert destroyed.code == 0, destroyed.output
    fraction = random.Random(f"{SEED}-{victim}-{point}").random()
    told = f"seed {SEED}, {victim}, kill {point} at {fraction:.2f} of the run"
    killed = _up_and_kill(small, VICTIMS[victim], fraction)
    again = small.sandbox("up")
    assert again.code == 0, f"{told}\n--- killed run\n{killed}\n--- next run\n{again.output}"
    settled = small.pulumi("preview", "--expect-no-changes")
    assert settled.code == 0, f"{told}\n--- killed run\n{killed}\n{settled.output}"


def _up_and_kill(site: RunningSite, program: str, fraction: float) -> str:
    """Starts a run, kills one of its processes on the way, and returns what it printed."""
    log = site.project.folder / "killed.log"
    command = Path(sys.executable).parent / "gpu-cluster-sandbox"
    with log.open("w") as output:
        run = subprocess.Popen(
            [str(command), "up", "--site", site.name],
            cwd=site.project.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        started = time.monotonic()
        # A run takes about this long; later points find it ended, and then nothing was killed.
        due = started + 2 + fraction * 12
        while run.poll() is None:
            victims = _processes(program, under=run.pid)
            if victims and time.monotonic() >= due:
                os.kill(victims[-1], signal.SIGKILL)
                break
            time.sleep(0.05)
        run.wait(timeout=240)
    return log.read_text(errors="replace")


def _processes(program: str, *, under: int) -> list[int]:
    """Processes below another whose command line names a program."""
    parents: dict[int, int] = {}
    named: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            status = (entry / "stat").read_text()
        except OSError:
            continue
        parents[int(entry.name)] = int(status.rsplit(")", 1)[1].split()[1])
        if any(Path(os.fsdecode(word)).name == program for word in words[:4]):
            named.append(int(entry.name))
    return [process for process in named if under in _ancestors(process, parents)]


def _ancestors(process: int, parents: dict[int, int]) -> Iterator[int]:
    while (process := parents.get(process, 0)) > 1:
        yield process
