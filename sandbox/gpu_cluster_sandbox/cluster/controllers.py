"""What operators' controllers need of the cluster before they run: rights, and no stand-ins."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from lightkube import ApiError
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition

from gpu_cluster_sandbox.charts.facts import load_crds
from gpu_cluster_sandbox.cluster.kwok import STAGE
from gpu_cluster_sandbox.cluster.rights import grant, rule
from gpu_cluster_sandbox.stages import operator_stages

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lightkube import Client
    from lightkube.models.rbac_v1 import PolicyRule

    from gpu_cluster_sandbox.controllers.catalogue import Controller

# lightkube types no making of a resource from a mapping.
_CRD: Final[Any] = CustomResourceDefinition

_USER: Final = "gpu-cluster-sandbox:controllers"


def prepare_controllers(client: Client, controllers: Collection[Controller]) -> None:
    """Give the runners their rights, and take away the stages that their controllers replace.

    A sandbox that was brought up without the controller has those stages from its chart. CRDs that
    a chart brings later are left by Helm as they are.
    """
    grant(
        client,
        _USER,
        [
            rule("apps", ["deployments"], ["get", "list"]),
            rule("", ["pods", "services"], ["list"]),
            rule("", ["pods/status"], ["patch"]),
            *_files(controllers),
            rule(
                "",
                ["serviceaccounts/token"],
                ["create"],
                [controller.account for controller in controllers],
            ),
        ],
    )
    for controller in controllers:
        for crd in _crds(controller):
            client.apply(_CRD.from_dict(crd))
        for stage in operator_stages(controller.chart):
            try:
                client.delete(STAGE, stage["metadata"]["name"])
            except ApiError as error:
                if error.status.code != HTTPStatus.NOT_FOUND:
                    raise


def _files(controllers: Collection[Controller]) -> Iterator[PolicyRule]:
    asked = [controller.webhooks for controller in controllers if controller.webhooks]
    if asked:
        yield rule("", ["configmaps"], ["get"], [one.settings for one in asked])
        yield rule("", ["secrets"], ["get"], [one.certificate for one in asked])


def _crds(controller: Controller) -> Iterator[dict[str, Any]]:
    for chart, names in controller.crds:
        for crds in load_crds(chart).values():
            yield from (crd for crd in crds if crd["metadata"]["name"] in names)
