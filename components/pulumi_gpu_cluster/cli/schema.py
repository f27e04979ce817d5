"""`gpu-cluster schema`: the JSON Schema of a stack file, and its reference."""

from __future__ import annotations

import json

import click

from pulumi_gpu_cluster.reading.site_reference import site_reference
from pulumi_gpu_cluster.reading.stack_schema import stack_schema


@click.command("schema")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "markdown"]),
    default="json",
    show_default=True,
    help="json: the schema for editors. markdown: the reference for people.",
)
def command(form: str) -> None:
    """Print the JSON Schema of a stack file, or the reference of the site file.

    Write the schema to a file and name that in the first line of each stack file:
    `# yaml-language-server: $schema=../docs/site.schema.json`.
    """
    if form == "json":
        click.echo(json.dumps(stack_schema(), indent=2, ensure_ascii=False))
    else:
        click.echo(site_reference(), nl=False)
