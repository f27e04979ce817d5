"""Control planes that are read and checked, and not built yet."""

from __future__ import annotations

from pulumi_gpu_cluster.control_plane.args import ControlPlaneArgs
from pulumi_gpu_cluster.findings import Finding, error


def unbuilt(args: ControlPlaneArgs) -> Finding | None:
    """Why a run cannot begin with this control plane, where it is one to be built over SSH.

    No design rule: the file is all right, and `gpu-cluster check` says so.
    """
    if not args.is_built:
        return None
    return error(
        "not-offered",
        "site.control_plane.kind",
        f"{args.kind} over SSH is planned, and this release cannot build it yet",
        "build the cluster with your own tool and write control_plane: {kind: existing, version: "
        f"{args.kubernetes_version}}}; gpu-cluster-sandbox up tries this very file",
        waivable=False,
    )
