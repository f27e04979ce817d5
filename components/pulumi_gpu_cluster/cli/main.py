"""`gpu-cluster`: the table of commands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import click

_DEBUG: Final = "GPU_CLUSTER_DEBUG"

# A command `x-y` is the object `command` of the module `pulumi_gpu_cluster.cli.x_y`.
_COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "check": "Check site files and print all findings at once.",
        "crds": "Upgrade the CRDs that Helm does not, before a chart is raised.",
        "capacity": "Show what each pool has, what is promised and what is free.",
        "drivers": "Show each pool's driver, how long it is supported, and the next step.",
        "node": "Work on nodes: their taints, the gate that new ones pass, drivers in waves.",
        "plan": "Judge what a preview would change, before it does.",
        "recover": "Settle what a killed run left behind.",
        "schema": "Print the JSON Schema of a stack file, for editors.",
        "secrets": "Make the secrets that a site needs and does not have yet.",
        "upgrade": "Show what an upgrade would do, wave by wave, before it is begun.",
        "versions": "Print the versions that this release installs.",
    }
)


class _Lazy(click.Group):
    """A group whose help costs no import of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"{__package__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pulumi-gpu-cluster", message="%(version)s")
def command() -> None:
    """One site file, one GPU cluster: what can be told and done beside `pulumi up`."""


def main() -> None:
    """Runs the command line; what goes wrong in it is one line, never a stack trace."""
    try:
        command(prog_name="gpu-cluster")
    except Exception as failure:
        if os.environ.get(_DEBUG):
            raise
        # The message may hold what the file holds, so only its kind is told.
        kind = type(failure).__name__
        click.echo(
            f"error: a fault of gpu-cluster itself ({kind}); fix: report it, with what "
            f"{_DEBUG}=1 gpu-cluster ... prints",
            err=True,
        )
        sys.exit(1)
