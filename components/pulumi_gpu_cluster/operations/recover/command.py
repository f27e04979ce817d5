"""`gpu-cluster recover`: after a run that was killed."""

from __future__ import annotations

from pathlib import Path

import click

from pulumi_gpu_cluster.operations.api_server import AccessError
from pulumi_gpu_cluster.operations.recover.engine import Engine
from pulumi_gpu_cluster.operations.recover.errors import RecoverError
from pulumi_gpu_cluster.operations.recover.recovery import recover


@click.command("recover")
@click.option("-s", "--stack", required=True, help="The stack, which is the site's name.")
@click.option(
    "--config-file",
    type=click.Path(path_type=Path),
    help="Its stack file, where it is not at its usual place.",
)
def command(stack: str, config_file: Path | None) -> None:
    """Settle what a killed run left behind, so that the next `pulumi up` converges.

    Ends plugins that outlived their run. Removes the stack's lock where the process that took it
    on this machine is gone. Removes Helm's records of installs and upgrades that never ended.
    Finds out whether what was being created is there, and forgets what else was under way.

    What is right already stays as it is: it can be run again at any time. It ends with exit code
    1 where somebody has to see to something first.
    """
    try:
        recover(Engine(stack, config_file), Path.cwd(), click.echo)
    except (AccessError, RecoverError) as stopped:
        raise click.ClickException(str(stopped)) from None
