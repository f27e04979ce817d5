"""Options that several commands of node work share."""

from __future__ import annotations

import click

from pulumi_gpu_cluster.span import seconds


def _span(_context: click.Context, _parameter: click.Parameter, text: str) -> int:
    try:
        return seconds(text)
    except ValueError as wrong:
        raise click.BadParameter(f"{text!r} {wrong}") from None


context_option = click.option(
    "--context", metavar="NAME", help="Context of the kubeconfig.  [default: current]"
)
span_option = click.option(
    "--wait", default="30m", show_default=True, callback=_span, help="The longest wait."
)
