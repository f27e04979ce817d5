"""The command `gpu-cluster-sandbox`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from gpu_cluster_sandbox.engine.pins import CONTROLLERS

if TYPE_CHECKING:
    from collections.abc import Generator

    from gpu_cluster_sandbox.cluster import Cluster

# Imports of the commands' own parts stand in the commands: --help must not wait for them.


@click.group()
def main() -> None:
    """A simulated GPU cluster on this machine, to try a site file on."""


_site = click.option(
    "--site", "-s", default="sandbox", show_default=True, help="The site whose sandbox is meant."
)
_state_dir = click.option(
    "--state-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the sandbox keeps its things. [default: .sandbox/SITE]",
)
_engine = click.option(
    "--engine",
    type=click.Choice(["auto", "download"]),
    default="auto",
    envvar="ENGINE",
    show_default=True,
    help="auto: what the machine has, the rest is built; download: official releases.",
)


_controllers = click.option(
    "--with",
    "controllers",
    multiple=True,
    type=click.Choice([program.name for program in CONTROLLERS]),
    help="An operator's real controller, in place of the stages that play it. Built from its Go "
    "module, and kept for every later start of this sandbox.",
)


@main.command()
@_site
@_state_dir
@_engine
@_controllers
def up(
    site: str,
    state_dir: Path | None,
    engine: Literal["auto", "download"],
    controllers: tuple[str, ...],
) -> None:
    """Bring a site up: engine, cluster, simulated nodes, and a real `pulumi up`."""
    from gpu_cluster_sandbox.stack.up import up as bring_up  # noqa: PLC0415
    from gpu_cluster_sandbox.stack.workspace import Workspace  # noqa: PLC0415

    with _told():
        bring_up(Workspace.of(site, state_dir), engine, click.echo, controllers)


@main.command()
@_site
@_state_dir
@_engine
@click.option(
    "--lose-data",
    is_flag=True,
    help="Also where the site keeps its data: what a simulated cluster holds is nobody's.",
)
def down(
    site: str, state_dir: Path | None, engine: Literal["auto", "download"], *, lose_data: bool
) -> None:
    """Destroy a site's stack, stop its cluster and remove all that the sandbox wrote."""
    from gpu_cluster_sandbox.stack.down import down as take_down  # noqa: PLC0415
    from gpu_cluster_sandbox.stack.workspace import Workspace  # noqa: PLC0415

    with _told():
        take_down(Workspace.of(site, state_dir), engine, click.echo, lose_data=lose_data)


@main.command()
@_site
@_state_dir
@_engine
@_controllers
def start(
    site: str,
    state_dir: Path | None,
    engine: Literal["auto", "download"],
    controllers: tuple[str, ...],
) -> None:
    """Start the cluster, or mend one that is not whole."""
    from gpu_cluster_sandbox.cluster import PART_NAMES, Cluster, choose  # noqa: PLC0415
    from gpu_cluster_sandbox.engine import ensure_engine  # noqa: PLC0415

    with _told():
        state = _state(site, state_dir)
        names = [one.program.name for one in choose(state, controllers)]
        programs = ensure_engine(engine, click.echo, only=PART_NAMES, controllers=names)
        Cluster(state, programs).start(click.echo)


@main.command()
@_site
@_state_dir
def stop(site: str, state_dir: Path | None) -> None:
    """Stop the cluster; what is in it stays for the next start."""
    with _told():
        _cluster(site, state_dir).stop(click.echo)


@main.command()
@_site
@_state_dir
def status(site: str, state_dir: Path | None) -> None:
    """Show every part; exit code 1 where one is not well."""
    with _told():
        parts = _cluster(site, state_dir).status()
    for part in parts:
        where = f"pid {part.pid}, port {part.port}" if part.pid else ""
        state = " ".join(part.trouble.split())[:100] or "well"
        click.echo(f"{part.name:24} {where:24} {state}")
    if any(part.trouble for part in parts):
        raise SystemExit(1)


@main.command()
@click.argument("part")
@click.option(
    "--lines",
    "-n",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many of the last lines.",
)
@_site
@_state_dir
def logs(part: str, lines: int, site: str, state_dir: Path | None) -> None:
    """Show the end of one part's log: etcd, kube-apiserver, and so on as `status` lists them."""
    with _told():
        path = _cluster(site, state_dir).logs(part)
        if not path.exists():
            from gpu_cluster_sandbox.errors import SandboxError  # noqa: PLC0415

            raise SandboxError(f"{part} has written nothing yet", "start the cluster first")
    for line in path.read_text(errors="replace").splitlines()[-lines:]:
        click.echo(line)


@main.command()
@click.argument("node")
@click.argument("what", type=click.Choice(["mig", "driver", "gpu-count"]))
@_site
@_state_dir
def fail(
    node: str,
    what: Literal["mig", "driver", "gpu-count"],
    site: str,
    state_dir: Path | None,
) -> None:
    """Let something fail on a simulated NODE, until it is mended.

    mig: no MIG layout can be applied. driver: the next driver pod does not come up, which only
    --with gpu-operator runs. gpu-count: one GPU is missing.
    """
    from gpu_cluster_sandbox.nodes import fail as let_fail  # noqa: PLC0415

    with _told():
        let_fail(_cluster(site, state_dir).client(), node, what)


@main.command()
@click.argument("node")
@_site
@_state_dir
def mend(node: str, site: str, state_dir: Path | None) -> None:
    """Let everything on a simulated NODE be well again."""
    from gpu_cluster_sandbox.nodes import mend as let_be_well  # noqa: PLC0415

    with _told():
        let_be_well(_cluster(site, state_dir).client(), node)


def _cluster(site: str, state_dir: Path | None) -> Cluster:
    from gpu_cluster_sandbox.cluster import Cluster  # noqa: PLC0415

    return Cluster(_state(site, state_dir))


def _state(site: str, state_dir: Path | None) -> Path:
    from gpu_cluster_sandbox.errors import SandboxError  # noqa: PLC0415
    from gpu_cluster_sandbox.stack.workspace import state_folder  # noqa: PLC0415

    state = state_folder(site, state_dir)
    if not state.is_dir():
        raise SandboxError(
            f"there is no sandbox of {site} here", f"bring it up: make up SITE={site}"
        )
    return state


@contextmanager
def _told() -> Generator[None]:
    """An error of ours, or of the machine's files, becomes its message and exit code 1."""
    from gpu_cluster_sandbox.errors import SandboxError  # noqa: PLC0415

    try:
        yield
    except SandboxError as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(1) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        click.echo(
            f"error: {where}{(error.strerror or str(error)).lower()}; "
            "fix: see to room, rights and what else lies there, then run it again",
            err=True,
        )
        raise SystemExit(1) from None
