"""`gpu-cluster secrets init`: every secret that a site needs, made once."""

from __future__ import annotations

import base64
import secrets
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from pulumi_gpu_cluster.cli.output import print_findings
from pulumi_gpu_cluster.loading import read_stack_file
from pulumi_gpu_cluster.secret import Generated, MissingSecret, missing_secrets
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
    read = read_stack_file(config_file or Path("stacks") / f"Pulumi.{stack}.yaml")
    print_findings(read.findings, err=True)
    if read.site is None:
        sys.exit(1)
    sys.exit(init_secrets(read.site, _by_pulumi(stack, config_file)))


def init_secrets(site: Section, keep: Callable[[str, str], str | None]) -> int:
    """Makes what is missing and lists what only the user has.

    Args:
        site: The site as its stack file has it.
        keep: Keeps a value under a configuration path; returns why it could not.

    Returns:
        The exit code: 0 when the site has all its secrets now.
    """
    missing = missing_secrets(site)
    given = [one for one in missing if not isinstance(one.mark, Generated)]
    failed = False
    for one in missing:
        if not isinstance(one.mark, Generated):
            continue
        reason = keep(one.config_path, make(one.mark))
        if reason is None:
            click.echo(f"made {one.config_path}")
        else:
            failed = True
            click.echo(f"error secret-not-kept {one.config_path}: {reason}", err=True)
    _list_given(given)
    if not missing:
        click.echo("nothing to do: the site has all its secrets")
    return 1 if failed or given else 0


def make(mark: Generated) -> str:
    """A new value for a generated secret."""
    if mark.kind == "key":
        return base64.b64encode(secrets.token_bytes(_LENGTH)).decode()
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def _list_given(given: list[MissingSecret]) -> None:
    for one in given:
        click.echo(
            f"error secret-missing {one.config_path}: only you have it; fix: type\n"
            f"  pulumi config set --secret --path '{one.config_path}'",
            err=True,
        )


def _by_pulumi(stack: str, config_file: Path | None) -> Callable[[str, str], str | None]:
    """Keeps values in the stack file by the engine; they go through its standard input."""
    where = [] if config_file is None else ["--config-file", str(config_file)]

    def keep(config_path: str, value: str) -> str | None:
        set_secret = ["pulumi", "config", "set", "--secret", "--path", "--stack", stack, *where]
        try:
            done = subprocess.run(
                [*set_secret, "--", config_path],
                input=value,
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            return "there is no pulumi on PATH; fix: install it, then run this again"
        if done.returncode:
            said = (done.stderr or done.stdout).replace(value, "[secret]").strip()
            return f"pulumi ended with exit code {done.returncode}: {said}; fix: mend that first"
        return None

    return keep
