"""`gpu-cluster secrets init`: every secret that a site needs, made once."""

from __future__ import annotations

import base64
import secrets
import string
import sys
from pathlib import Path
from typing import Final

import click

from pulumi_gpu_cluster.cli.output import print_findings
from pulumi_gpu_cluster.cli.stack_config import StackConfig
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.reading.structure import dotted
from pulumi_gpu_cluster.secret import Generated, Given, MissingSecret, missing_secrets
from pulumi_gpu_cluster.section import Section

_LETTERS: Final = string.ascii_letters + string.digits
_LENGTH: Final = 32


@click.group("secrets")
def command() -> None:
    """Make the secrets that a site needs and does not have yet."""


@command.command("init")
@click.option("-s", "--stack", required=True, help="The stack, which is the site's name.")
@click.option(
    "--config-file",
    type=click.Path(path_type=Path),
    help="Its stack file; stacks/Pulumi.STACK.yaml by default.",
)
def init(stack: str, config_file: Path | None) -> None:
    """Make every generated secret that is missing, by `pulumi config set --secret`.

    Secrets that only you have are listed, each with the command to type. What is there already
    is never touched, so this can be run again at any time.
    """
    config = StackConfig(stack, config_file)
    read = read_stack_file(config.path)
    print_findings(read.findings, err=True)
    if read.site is None:
        sys.exit(1)
    sys.exit(init_secrets(read.site, config))


def init_secrets(site: Section, config: StackConfig) -> int:
    """Makes what is missing and lists what only the user has.

    Args:
        site: The site as its stack file has it.
        config: Where secrets are kept.

    Returns:
        The exit code: 0 when the site has all its secrets now.
    """
    missing = missing_secrets(site)
    complete = True
    for one in missing:
        if isinstance(one.mark, Given):
            complete = False
            _say("secret-missing", one, f"only you have it: {one.mark.what}; fix: type")
            click.echo(f"  {config.command(one.config_path)}", err=True)
        else:
            reason = config.set_secret(one.config_path, make(one.mark))
            if reason is None:
                click.echo(f"made {one.config_path}")
            else:
                complete = False
                _say("secret-not-kept", one, reason)
    if not missing:
        click.echo("nothing to do: the site has all its secrets")
    return 0 if complete else 1


def _say(rule: str, secret: MissingSecret, message: str) -> None:
    click.echo(f"error {rule} {dotted(secret.path)}: {message}", err=True)


def make(mark: Generated) -> str:
    """A new value for a generated secret."""
    if mark.kind == "key":
        return base64.b64encode(secrets.token_bytes(_LENGTH)).decode()
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
