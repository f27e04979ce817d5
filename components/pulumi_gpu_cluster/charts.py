"""Where Helm charts come from: upstream repositories, a mirror, or a directory (air gap)."""

from __future__ import annotations

from typing import Literal

from pulumi_gpu_cluster.section import Section


class ChartsArgs(Section):
    """The source of every third-party chart."""

    source: Literal["upstream", "mirror", "directory"] = "upstream"
    """`upstream`: each project's own repository. `mirror`: one OCI or HTTP repository that
    holds them all. `directory`: chart folders or archives on disk."""

    url: str | None = None
    """With `mirror`: oci://registry/path or https://host/path."""

    path: str | None = None
    """With `directory`: the folder, relative to the program's working directory."""
