"""`gpu-cluster schema`: the JSON Schema of a stack file."""

from __future__ import annotations

import json

import click

from pulumi_gpu_cluster.stack_schema import stack_schema


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of a stack file.

    Write it to a file and name that in the first line of each stack file:
    `# yaml-language-server: $schema=../docs/site.schema.json`.
    """
    click.echo(json.dumps(stack_schema(), indent=2, ensure_ascii=False))
