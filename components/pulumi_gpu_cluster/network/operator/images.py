"""Images that the Network Operator is told to run: its objects have no defaults for them."""

from __future__ import annotations


def image(reference: str) -> dict[str, str]:
    """A pinned image as the operator's objects spell it.

    Args:
        reference: Registry, path and tag: nvcr.io/nvidia/mellanox/multus-cni:v1.
    """
    path, _, version = reference.rpartition(":")
    repository, _, name = path.rpartition("/")
    return {"repository": repository, "image": name, "version": version}
