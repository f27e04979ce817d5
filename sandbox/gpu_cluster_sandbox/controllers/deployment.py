"""The Deployment in whose place a controller runs: whether it is there, and as whom it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from lightkube import Client
from lightkube.models.authentication_v1 import TokenRequestSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ServiceAccountToken

_VALID_SECONDS: Final = 365 * 24 * 3600
# lightkube types no making of a resource from a mapping, and no listing.
_TOKEN: Final[Any] = ServiceAccountToken


@dataclass(frozen=True, slots=True)
class Pod:
    """What a Deployment's pod would be started with.

    Attributes:
        uid: Of the Deployment; another one means that it was made anew.
        namespace: Where it is.
        environment: Of its first container.
    """

    uid: str
    namespace: str
    environment: tuple[tuple[str, str], ...]


def find_pod(client: Client, deployment: str) -> Pod | None:
    """The pod that a Deployment of this name asks for, in whichever namespace it is."""
    found = cast("Any", client).list(
        Deployment, namespace="*", fields={"metadata.name": deployment}
    )
    for one in found:
        manifest = one.to_dict()
        metadata = manifest["metadata"]
        if "deletionTimestamp" in metadata:
            continue
        return Pod(
            metadata["uid"],
            metadata["namespace"],
            tuple(_environment(manifest["spec"]["template"]["spec"], metadata["namespace"])),
        )
    return None


def account_token(client: Client, namespace: str, account: str) -> str:
    """A token of a ServiceAccount, as kubelet would hand it to the pod."""
    request = _TOKEN(
        metadata=ObjectMeta(),
        spec=TokenRequestSpec(audiences=[], expirationSeconds=_VALID_SECONDS),
    )
    made = cast("Any", client).create(request, account, namespace=namespace)
    return str(made.status.token)


def _environment(spec: dict[str, Any], namespace: str) -> Iterator[tuple[str, str]]:
    for variable in spec["containers"][0].get("env", ()):
        if "value" in variable:
            yield variable["name"], variable["value"]
        elif variable["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.namespace":
            yield variable["name"], namespace
