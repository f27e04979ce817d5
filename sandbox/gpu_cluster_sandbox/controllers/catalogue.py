"""Which operators' controllers the sandbox can run for real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.engine.pins import GPU_OPERATOR, KUEUE, Program


@dataclass(frozen=True, slots=True)
class Webhooks:
    """What a controller needs to answer the API server's questions.

    Attributes:
        service: The Service by which the API server names it.
        certificate: The Secret that it keeps its serving certificate in.
        settings: The ConfigMap with its settings, which say where it listens.
        file: The settings' key there.
    """

    service: str
    certificate: str
    settings: str
    file: str


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller that can take the place of the stages that play its operator.

    Attributes:
        program: How it is built.
        chart: The chart whose release it belongs to, and whose stages it makes needless.
        deployment: The chart's Deployment, in whose pod it would run.
        account: The ServiceAccount of that pod.
        crds: Charts whose CRDs it cannot do without though no site has to have them, and which.
        arguments: What it is started with, with `{probe}` for where its health is asked for and
            `{settings}` for the file with its settings.
        health: The path at which it says that it is well.
        webhooks: None where the API server asks it nothing.
    """

    program: Program
    chart: str
    deployment: str
    account: str
    crds: tuple[tuple[str, frozenset[str]], ...]
    arguments: tuple[str, ...]
    health: str = "/healthz"
    webhooks: Webhooks | None = None

    @property
    def ports(self) -> tuple[str, ...]:
        """The names of the ports that it and its runner listen at, the runner's first."""
        name = self.program.name
        return (name, f"{name}-probe", *([f"{name}-webhook"] if self.webhooks else []))


CONTROLLERS: Final[Mapping[str, Controller]] = MappingProxyType(
    {
        GPU_OPERATOR.name: Controller(
            program=GPU_OPERATOR,
            chart="gpu-operator",
            deployment="gpu-operator",
            account="gpu-operator",
            # Later versions pass over metrics where nobody would read them.
            crds=(
                (
                    "kube-prometheus-stack",
                    frozenset(
                        {
                            "prometheusrules.monitoring.coreos.com",
                            "servicemonitors.monitoring.coreos.com",
                        }
                    ),
                ),
            ),
            arguments=(
                "--metrics-bind-address=0",
                "--health-probe-bind-address={probe}",
                "--zap-time-encoding=rfc3339",
            ),
        ),
        KUEUE.name: Controller(
            program=KUEUE,
            chart="kueue",
            deployment="kueue-controller-manager",
            account="kueue-controller-manager",
            crds=(),
            arguments=(
                "--config={settings}",
                # An API server of its own, which nothing here asks.
                "--feature-gates=VisibilityOnDemand=false",
                "--zap-time-encoding=rfc3339",
            ),
            health="/readyz",
            # source: kubernetes-sigs/kueue v0.19.2, the chart's templates
            webhooks=Webhooks(
                service="kueue-webhook-service",
                certificate="kueue-webhook-server-cert",
                settings="kueue-manager-config",
                file="controller_manager_config.yaml",
            ),
        ),
    }
)
"""By the name that `--with` takes."""
