"""`gpu-cluster-sandbox up`: from a site file to a whole cluster that a person can use."""

from __future__ import annotations

import datetime as dt
import subprocess
from collections.abc import Callable, Collection
from typing import Final, Literal

from gpu_cluster_sandbox.charts import write_charts
from gpu_cluster_sandbox.cluster import KUBERNETES_VERSION, Cluster, choose
from gpu_cluster_sandbox.engine import ensure_engine
from gpu_cluster_sandbox.errors import SandboxError
from gpu_cluster_sandbox.nodes import apply_nodes, show_nodes_to_operators
from gpu_cluster_sandbox.stack import overrides
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand
from gpu_cluster_sandbox.stack.summary import summary
from gpu_cluster_sandbox.stack.throw_away import made
from gpu_cluster_sandbox.stack.workspace import Workspace
from pulumi_gpu_cluster.checks import check
from pulumi_gpu_cluster.findings import has_errors
from pulumi_gpu_cluster.reading.loading import read_stack_file
from pulumi_gpu_cluster.site import Site

Report = Callable[[str], None]

_NOT_NEEDED_HERE: Final = frozenset({"secret-missing", "host-key-missing"})
"""Rules about what a site has only once its machines are there; the sandbox makes its own."""


def up(
    workspace: Workspace,
    engine_mode: Literal["auto", "download"],
    report: Report,
    controllers: Collection[str] = (),
) -> None:
    """Brings the site up on its simulated cluster, or finds that nothing has to change.

    Args:
        workspace: Whose sandbox.
        engine_mode: Where the engine comes from.
        report: Says what happens.
        controllers: Operators' controllers that run for real from now on, beside those that do.

    Raises:
        SandboxError: Something that the user can mend.
    """
    site = checked_site(workspace, report)
    with workspace.alone():
        real = choose(workspace.state, controllers)
        engine = ensure_engine(
            engine_mode, report, controllers=[controller.program.name for controller in real]
        )
        cluster = Cluster(workspace.state, engine)
        cluster.start(report)
        controlled = {controller.chart for controller in real}
        discovered = "gpu-operator" not in controlled
        apply_nodes(cluster.client(), site, report, discovered=discovered)
        write_charts(workspace.charts, controlled)
        pulumi = PulumiCommand(workspace, engine)
        missing = overrides.write_working_copy(workspace, KUBERNETES_VERSION)
        pulumi.create_stack()
        if not overrides.kubeconfig_is_set(workspace, cluster.kubeconfig):
            pulumi.set_secret(overrides.KUBECONFIG_PATH, cluster.kubeconfig.read_text())
            overrides.mark_kubeconfig(workspace, cluster.kubeconfig)
        for secret in missing:
            report(f"Making a throw-away secret for {secret.config_path}")
            pulumi.set_secret(secret.config_path, made(secret))
        if workspace.unfinished.exists():
            recover(pulumi, report)
        workspace.unfinished.touch()
        report("Pulumi: previewing and applying the stack, with the policy pack")
        code = pulumi.run(
            "up",
            "--yes",
            "--suppress-outputs",
            *_policies(workspace),
        )
        if code:
            raise SandboxError(
                f"pulumi up ended with exit code {code}",
                "read what it says above; logs: gpu-cluster-sandbox logs kube-apiserver "
                f"--site {workspace.site}",
            )
        workspace.unfinished.unlink()
        show_nodes_to_operators(cluster.client())
        report(summary(pulumi.outputs(), cluster.kubeconfig))


def checked_site(workspace: Workspace, report: Report) -> Site:
    """The site, once its file holds; what is wrong with it is reported line by line.

    Raises:
        SandboxError: The file has errors.
    """
    site, findings = read_stack_file(workspace.site_file)
    if site is not None:
        today = dt.datetime.now(dt.UTC).date()
        findings = (*findings, *check(site, today))
    findings = tuple(finding for finding in findings if finding.rule not in _NOT_NEEDED_HERE)
    for finding in findings:
        report(str(finding))
    if site is None or has_errors(findings):
        raise SandboxError(
            f"{workspace.site_file.name} does not hold together", "mend what is listed above"
        )
    return site


def recover(pulumi: PulumiCommand, report: Report) -> None:
    """Settles what a killed run left behind, as a user would with the same command.

    Raises:
        SandboxError: It could not be settled.
    """
    report("The last run did not end well: settling what it left behind")
    done = subprocess.run(
        [
            "gpu-cluster",
            "recover",
            "--stack",
            pulumi.workspace.site,
            "--config-file",
            pulumi.workspace.stack_file,
        ],
        cwd=pulumi.workspace.project,
        env=pulumi.environment(),
        check=False,
    )
    if done.returncode:
        raise SandboxError("the last run could not be settled", "read what it says above")


def _policies(workspace: Workspace) -> tuple[str, ...]:
    pack = workspace.project / "policies"
    return ("--policy-pack", "policies") if (pack / "PulumiPolicy.yaml").is_file() else ()
