"""`gpu-cluster-sandbox down`: destroys the stack, or says what that would lose."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Literal

from gpu_cluster_sandbox.cluster import Cluster, chosen
from gpu_cluster_sandbox.engine import ensure_engine
from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.stack.losses import losses
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand
from gpu_cluster_sandbox.stack.up import checked_site, recover
from gpu_cluster_sandbox.stack.workspace import Workspace

Report = Callable[[str], None]


def down(
    workspace: Workspace,
    engine_mode: Literal["auto", "download"],
    report: Report,
    *,
    lose_data: bool = False,
) -> None:
    """Destroys the stack, stops the cluster and removes every trace of the workspace.

    Args:
        workspace: Whose sandbox.
        engine_mode: Where the engine comes from.
        report: Says what happens.
        lose_data: Whether data goes even where the site keeps it: what lies in a simulated
            cluster is nobody's.

    Raises:
        SandboxError: The site keeps its data, or something went wrong.
    """
    if not workspace.state.is_dir():
        report(f"There is no sandbox of {workspace.site}: nothing to do")
        return
    site = checked_site(workspace, report)
    with workspace.alone():
        names = [controller.program.name for controller in chosen(workspace.state)]
        engine = ensure_engine(engine_mode, report, controllers=names)
        cluster = Cluster(workspace.state, engine)
        pulumi = PulumiCommand(workspace, engine)
        if pulumi.stack_exists():
            cluster.start(report)
            if not site.gives_up_data and not lose_data:
                raise SandboxError(
                    f"destroying {site.name} would lose:\n{losses(cluster.client(), site)}\n"
                    "and the site does not allow it",
                    f"to allow it, set `teardown: {{data: delete, crds: delete, confirm: "
                    f"{site.name}}}` in the site file and run `make up SITE={workspace.site}` "
                    "once; to be rid of this simulated cluster all the same: "
                    f"gpu-cluster-sandbox down --site {workspace.site} --lose-data; to stop it "
                    f"and keep everything: gpu-cluster-sandbox stop --site {workspace.site}",
                )
            if workspace.unfinished.exists():
                recover(pulumi, report)
            workspace.unfinished.touch()
            if not site.gives_up_data:
                pulumi.unprotect()
            if code := pulumi.run("destroy", "--yes", "--suppress-outputs"):
                raise SandboxError(
                    f"pulumi destroy ended with exit code {code}", "read what it says above"
                )
            pulumi.remove_stack()
        cluster.stop(report)
        shutil.rmtree(workspace.state)
    if workspace.state.parent.name == ".sandbox" and not any(workspace.state.parent.iterdir()):
        workspace.state.parent.rmdir()
    report(f"The sandbox of {workspace.site} is gone")
