"""Which operators' controllers the sandbox can run for real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.engine.pins import GPU_OPERATOR, Program


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller that can take the place of the stages that play its operator.

    Attributes:
        program: How it is built.
        chart: The chart whose release it belongs to, and whose stages it makes needless.
        deployment: The chart's Deployment, in whose pod it would run.
        account: The ServiceAccount of that pod.
        crds: Charts whose CRDs it cannot do without though no site has to have them, and which.
        arguments: What it is started with, with `{probe}` for where its health is asked for.
    """

    program: Program
    chart: str
    deployment: str
    account: str
    crds: tuple[tuple[str, frozenset[str]], ...]
    arguments: tuple[str, ...]


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
        )
    }
)
"""By the name that `--with` takes."""
