"""Runs every measurement and prints one line each: what, the ratio, and what we aim at.

Times are those of the processor, which say the same on a machine that is busy with other things.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import yaml

from bench.policies import seconds
from bench.sites import site

_RUNS = 5


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        for what, figure, aim in chain(
            _registration(Path(folder)),
            _check(Path(folder)),
            _node_added(),
            _start(),
            _policies(),
        ):
            print(f"{what:66} {figure:>22}   aim {aim}", flush=True)


def _registration(folder: Path) -> Iterator[tuple[str, str, str]]:
    for nodes, tenants in ((10, 5), (200, 50)):
        recorded = folder / f"{nodes}.json"
        base = [sys.executable, "-m", "bench.registration"]
        size = [str(nodes), str(tenants), str(recorded)]
        subprocess.run([*base, "list", *size], check=True)
        ours, bare = _paired([*base, "ours", *size], [*base, "bare", *size])
        ratio = ours / bare
        what = f"program against bare program, {nodes} nodes and {tenants} tenants"
        yield what, f"{ratio:.2f} ({ours:.2f} s)", "1.10 or less"


def _check(folder: Path) -> Iterator[tuple[str, str, str]]:
    command = str(Path(sys.executable).parent / "gpu-cluster")
    seconds = []
    # The smallest comes first: what it takes is the start.
    for tenants in (1, 100, 1000):
        path = folder / f"Pulumi.bench{tenants}.yaml"
        document = {"config": {"gpu-cluster:site": site(10 * tenants, tenants)}}
        path.write_text(yaml.safe_dump(document))
        seconds.append(_median([command, "check", str(path)]))
    start, tenth, whole = seconds
    grown = (whole - start) / (tenth - start)
    yield "check of 10,000 nodes and 1,000 tenants", f"{whole:.2f} s", "1 s"
    yield "its time beyond start, against a tenth of the site", f"{grown:.1f}", "10 or less"


def _policies() -> Sequence[tuple[str, str, str]]:
    whole, bare = seconds(5000), seconds(5000, ())
    what = "policies over 5,000 resources, beyond being asked"
    return [(what, f"{whole - bare:.2f} s ({whole:.2f} s)", "2 s")]


def _node_added() -> Iterator[tuple[str, str, str]]:
    program = (
        "import sys, json; from bench.registration import record\n"
        "key = lambda r: json.dumps(r, sort_keys=True, default=str)\n"
        "n = int(sys.argv[1])\n"
        "a = {key(r) for r in record(n, 2, taints=True)}\n"
        "b = {key(r) for r in record(n + 1, 2, taints=True)}\n"
        "print(json.dumps(sorted({json.loads(k)['type'] + ' ' + json.loads(k)['name']"
        " for k in a ^ b})))\n"
    )
    for nodes in (10, 100, 1000):
        done = subprocess.run(
            [sys.executable, "-c", program, str(nodes)], check=True, capture_output=True, text=True
        )
        touched = yaml.safe_load(done.stdout)
        yield f"resources touched by one node more than {nodes}", str(len(touched)), "constant"


def _start() -> Iterator[tuple[str, str, str]]:
    command = str(Path(sys.executable).parent / "gpu-cluster")
    ours, bare = _paired([command, "--help"], [sys.executable, "-c", "pass"])
    yield "gpu-cluster --help", f"{ours:.2f} s", "0.3 s"
    yield "gpu-cluster --help against a bare interpreter", f"{ours / bare:.1f}", "as low as click"


def _paired(one: Sequence[str], other: Sequence[str]) -> tuple[float, float]:
    """Medians of two commands, run in turns so that both see the same machine."""
    pairs = [(_seconds(one), _seconds(other)) for _ in range(_RUNS)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _median(command: Sequence[str]) -> float:
    return statistics.median(_seconds(command) for _ in range(_RUNS))


def _seconds(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
