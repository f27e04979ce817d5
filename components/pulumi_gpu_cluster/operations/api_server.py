"""The way to a cluster's API server, and what its refusals mean to the person who asked.

The Kubernetes client is imported when it is first needed: the command line must answer `--help`
without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

_Result = TypeVar("_Result")

FIELD_MANAGER: Final = "gpu-cluster"
"""Under this name the API server keeps what the command line changes."""

PATIENCE: Final = 60.0
"""Seconds for which an API server that is away, busy or ahead of us is asked again."""

_TRANSIENT: Final = frozenset({409, 429, 500, 502, 503, 504})
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_NOT_FOUND: Final = 404
_BUDGET: Final = 429


class AccessError(Exception):
    """The cluster did not do what was asked; the message says why and what helps."""


class NotThereError(AccessError):
    """The object does not exist."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object.

    Attributes:
        group: API group; empty for the core.
        version: API version.
        name: The kind: Node.
        plural: As it stands in addresses: nodes.
        namespaced: Whether its objects live in namespaces.
    """

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True


CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")
JOB: Final = Kind("batch", "v1", "Job", "jobs")
NAMESPACE: Final = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
NODE: Final = Kind("", "v1", "Node", "nodes", namespaced=False)
POD: Final = Kind("", "v1", "Pod", "pods")
SECRET: Final = Kind("", "v1", "Secret", "secrets")


@dataclass(frozen=True, slots=True)
class ApiServer:
    """An API server that can be asked.

    Attributes:
        client: The lightkube client. Objects go in and out as plain data: its typed ones lose
            every field that they do not know.
        server: The API server's address, for messages.
        patience: Seconds for which a failing request is tried again.
        sleep: Waits that many seconds.
        now: A clock that only runs forward.
    """

    client: Any
    server: str
    patience: float = PATIENCE
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> dict[str, Any]:
        """Reads one object."""
        place = {"namespace": namespace} if kind.namespaced else {}
        return cast("dict[str, Any]", self.client.get(_resource(kind), name, **place))

    def list(
        self,
        kind: Kind,
        labels: Mapping[str, object] | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        namespace: str = "*",
    ) -> Iterable[dict[str, Any]]:
        """Reads all objects of a kind that have these labels.

        Args:
            kind: The kind.
            labels: Labels with their values; several values of one label in a list, None for
                any value.
            fields: Fields with their values, of those that the API server selects by.
            namespace: Only those of this namespace; by default those of all.
        """
        place = {"namespace": namespace} if kind.namespaced else {}
        found = self.client.list(
            _resource(kind), labels=labels, fields=fields, chunk_size=250, **place
        )
        return cast("Iterable[dict[str, Any]]", found)

    def create(self, kind: Kind, body: Mapping[str, Any], namespace: str | None = None) -> None:
        """Makes an object."""
        place = {"namespace": namespace} if kind.namespaced else {}
        self.client.create(_object(kind, body), **place)

    def apply(self, kind: Kind, name: str, body: Mapping[str, Any], manager: str) -> None:
        """Makes an object's fields those of the body, and no others of this manager.

        Args:
            kind: A kind outside of namespaces.
            name: Name of the object, which exists.
            body: The fields.
            manager: Whose they are to be, whoever has them now.
        """
        client = self.client
        client.apply(_object(kind, body), name, field_manager=manager, force=True)

    def replace(
        self, kind: Kind, body: Mapping[str, Any], *, dry_run: bool = False
    ) -> dict[str, Any]:
        """Puts an object in the place of the one that has its name and resourceVersion.

        Args:
            kind: A kind outside of namespaces.
            body: The whole object.
            dry_run: Only say what would come of it.

        Returns:
            The object, with what the API server fills in.
        """
        made = self.client.replace(
            _object(kind, body), field_manager=FIELD_MANAGER, dry_run=dry_run
        )
        return cast("dict[str, Any]", made)

    def merge(
        self, kind: Kind, name: str, patch: Mapping[str, Any], namespace: str | None = None
    ) -> None:
        """Changes an object by a JSON merge patch."""
        from lightkube.types import PatchType  # noqa: PLC0415 (see the module's head)

        place = {"namespace": namespace} if kind.namespaced else {}
        self.client.patch(_resource(kind), name, patch, patch_type=PatchType.MERGE, **place)

    def delete(self, kind: Kind, name: str, namespace: str | None = None) -> None:
        """Deletes an object; what it made goes after it."""
        from lightkube.types import CascadeType  # noqa: PLC0415 (see the module's head)

        place = {"namespace": namespace} if kind.namespaced else {}
        self.client.delete(_resource(kind), name, cascade=CascadeType.BACKGROUND, **place)

    def evict(self, name: str, namespace: str) -> bool:
        """Asks a pod to go, by the API that heeds disruption budgets.

        Returns:
            Whether it goes, or has gone. A budget may keep it for now.
        """
        from lightkube.core.exceptions import ApiError  # noqa: PLC0415 (see the module's head)
        from lightkube.resources.core_v1 import PodEviction  # noqa: PLC0415 (the same)

        body = {"metadata": {"name": name, "namespace": namespace}}
        try:
            self.client.create(PodEviction.from_dict(body), name, namespace=namespace)
        except ApiError as error:
            if error.status.code not in (_NOT_FOUND, _BUDGET):
                raise
            return error.status.code == _NOT_FOUND
        return True

    def persist(self, attempt: Callable[[], _Result], what: str) -> _Result:
        """Tries until it works, or until it is clear that it will not.

        Args:
            attempt: Asks the API server; it is called anew each time, so that it reads again
                what somebody else has changed meanwhile.
            what: What is attempted, for messages: `read node gpu01`.

        Raises:
            NotThereError: The object does not exist.
            AccessError: Refused, or still failing when the patience is at its end.
        """
        from httpx2 import HTTPError, InvalidURL  # noqa: PLC0415 (see the module's head)
        from lightkube.core.exceptions import ConfigError  # noqa: PLC0415 (see the module's head)

        give_up, pause = self.now() + self.patience, 0.2
        while True:
            try:
                return attempt()
            except (ConfigError, HTTPError, InvalidURL) as error:
                failure, may_pass = self._explained(error, what)
                if not may_pass or self.now() + pause > give_up:
                    raise failure from None
            self.sleep(pause)
            pause = min(pause * 2, 5.0)

    def _explained(self, error: Exception, what: str) -> tuple[AccessError, bool]:
        """What failed, and whether it may pass by itself."""
        response = getattr(error, "response", None)
        if response is not None:
            return self._refusal(error, response.status_code, what), (
                response.status_code in _TRANSIENT
            )
        reason = f"{type(error).__name__}: {error}"
        untrusted = "CERTIFICATE" in reason.upper()
        fix = (
            "have its certificate signed by the kubeconfig's CA"
            if untrusted
            else ("check the address, the network and that it runs")
        )
        return AccessError(
            f"cannot {what}: no way to the API server {self.server} ({reason}); fix: {fix}"
        ), not untrusted

    def _refusal(self, error: Exception, code: int, what: str) -> AccessError:
        said = str(getattr(getattr(error, "status", None), "message", "") or f"status {code}")
        if code == _NOT_FOUND:
            return NotThereError(f"cannot {what}: {said}")
        if code == _UNAUTHORIZED:
            return AccessError(
                f"cannot {what}: {self.server} does not accept the kubeconfig's credentials; fix: "
                "use a kubeconfig that is still valid"
            )
        if code == _FORBIDDEN:
            return AccessError(f"cannot {what}: {said}; fix: have the verb granted by RBAC")
        return AccessError(f"cannot {what}: {said}")


def _object(kind: Kind, body: Mapping[str, Any]) -> object:
    version = "/".join(filter(None, (kind.group, kind.version)))
    resource: Any = _resource(kind)
    return resource.from_dict({"apiVersion": version, "kind": kind.name, **body})


def _resource(kind: Kind) -> object:
    """The class by which lightkube knows a kind, without its registry: that one is global."""
    import lightkube.generic_resource  # noqa: PLC0415 (see the module's head)

    generic: Any = lightkube.generic_resource  # It leaves what it makes half typed.
    base = generic.GenericNamespacedResource if kind.namespaced else generic.GenericGlobalResource
    info = generic.create_api_info(kind.group, kind.version, kind.name, kind.plural)
    return type(kind.name, (base,), {"_api_info": info})
