"""The order in which a killed run is settled: its processes, its lock, its releases, its state."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from pulumi_gpu_cluster.operations.recover.engine import Engine
from pulumi_gpu_cluster.operations.recover.errors import RecoverError
from pulumi_gpu_cluster.operations.recover.helm import settle_releases
from pulumi_gpu_cluster.operations.recover.locks import (
    abandoned,
    backend_folder,
    locks_of,
    project_file,
    project_settings,
)
from pulumi_gpu_cluster.operations.recover.processes import end, orphaned_plugins, took_a_lock
from pulumi_gpu_cluster.operations.recover.state import (
    never_read,
    pending,
    resources,
    settle,
    with_field_managers,
)

Report = Callable[[str], None]


def recover(engine: Engine, start: Path, report: Report) -> None:
    """Settles what a killed run of a stack left, so that the next run converges.

    Whatever is right already stays as it is, so this can be run again at any time; a recovery
    that was killed itself is taken up where it was.

    Args:
        engine: The stack's engine.
        start: A folder of the project.
        report: Gets a line for each thing done.

    Raises:
        RecoverError: Somebody has to see to something first.
        AccessError: A cluster refuses or cannot be reached.
    """
    file = project_file(start)
    settings = project_settings(file)
    release_locks(engine, str(settings["name"]), report)
    main = file.parent / str(settings.get("main") or "")
    folder = main if main.is_dir() else main.parent
    for plugin in orphaned_plugins(folder):
        end(plugin)
        report(f"ended {plugin.program} (process {plugin.pid}), which had outlived its run")
    settle_state(engine, folder, report)
    report(f"settled; the next run is: pulumi up --stack {engine.stack}")


def release_locks(engine: Engine, project: str, report: Report) -> None:
    """Removes the locks of runs that are gone.

    Raises:
        RecoverError: Others hold locks.
    """
    folder = backend_folder(engine.backend_url())
    if folder is None:
        report(
            "this backend keeps its locks itself: if it says that a run is under way and none is, "
            f"use: pulumi cancel --stack {engine.stack}"
        )
        return
    held: list[str] = []
    for lock in locks_of(folder, project, engine.stack):
        if abandoned(lock, socket.gethostname(), took_a_lock):
            lock.remove()
            report(f"removed the lock of process {lock.pid}, which is gone")
        else:
            held.append(str(lock))
    if held:
        raise RecoverError(
            "the stack is locked:\n  "
            + "\n  ".join(held)
            + f"\nfix: wait for that run to end, or be sure that there is none and use: pulumi "
            f"cancel --stack {engine.stack}"
        )


def settle_state(engine: Engine, folder: Path, report: Report) -> None:
    """Settles the releases and the pending operations of a state.

    Args:
        engine: The stack's engine.
        folder: Where the program runs.
        report: Gets a line for each thing done.

    Raises:
        RecoverError: Something was being created of a kind that nothing here can judge.
    """
    document = engine.export()
    installed = settle_releases(document, folder, report)
    settled = settle(document, installed)
    if settled.strangers:
        raise RecoverError(
            "it is not known whether these were created: "
            + ", ".join(settled.strangers)
            + f"; fix: run pulumi refresh --stack {engine.stack} at a terminal, it asks for each"
        )
    for urn in settled.made_again:
        report(f"{_name(urn)} was being created: the next run makes it again")
    for orphan in settled.orphans:
        report(f"{orphan} was being created to replace another: if it exists, delete it by hand")
    if pending(document):
        engine.replace_state(settled.document)
    to_read = tuple(dict.fromkeys((*never_read(settled.document), *settled.to_read)))
    if not to_read:
        return
    report(f"reading {len(to_read)} resources that were under way from the cluster")
    engine.refresh(to_read)
    mended, managers = with_field_managers(engine.export())
    if managers:
        engine.replace_state(mended)
    there = {one["urn"] for one in resources(mended)}
    for urn in to_read:
        report(f"{_name(urn)} " + ("is there" if urn in there else "is not there"))


def _name(urn: str) -> str:
    """What a person calls a resource: its type and its name."""
    kind, _, name = urn.rpartition("::")
    return f"{kind.rpartition('::')[2].rpartition('$')[2]} {name}"
