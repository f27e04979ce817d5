"""An attack: one request to the API server, and what stops it."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from gpu_cluster_sandbox.cluster.pki import Identity, Pki

OWN: Final = "/api/v1/namespaces/ml-team"
OTHER: Final = "/api/v1/namespaces/vision"
RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
RIGHTS: Final = "rights"
POD_SECURITY: Final = "Pod Security"

_WORDS: Final = {
    RIGHTS: " cannot |grant RBAC permissions not currently held",
    POD_SECURITY: "violates PodSecurity",
}


@dataclass(frozen=True)
class Attack:
    """What somebody tries.

    Attributes:
        title: In words.
        method: HTTP method.
        path: Path of the request.
        stopped_by: `rights`, `Pod Security`, or the name of a quota or of an admission rule.
        body: What is sent.
        headers: Beside the usual ones.
        admin: Tried by an admin of the tenant, who may a little more than a member.
    """

    title: str
    method: str
    path: str
    stopped_by: str = RIGHTS
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    admin: bool = False

    @property
    def refusal(self) -> str:
        """What the API server's answer says then, as a regular expression."""
        return _WORDS.get(self.stopped_by, self.stopped_by)


def manifest(api: str, kind: str, name: str = "sly", **content: Any) -> dict[str, Any]:
    """An object as it is sent."""
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **content}


def pod(*, metadata: Mapping[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod that would be taken, but for what is given."""
    plain = {"name": "main", "image": "example/image:1"}
    container = {**plain, **spec.pop("container", {})}
    body = manifest("v1", "Pod", spec={"containers": [container], **spec})
    return {**body, "metadata": {**body["metadata"], **(metadata or {})}}


class Answer(NamedTuple):
    """What the API server says."""

    status: int
    said: Mapping[str, Any]


class Attacker:
    """Somebody with a certificate of the cluster that names one group."""

    def __init__(self, state: Path, group: str) -> None:
        """Issues the certificate.

        Args:
            state: The sandbox's folder.
            group: The group that it names.
        """
        pki = Pki(state / "pki")
        name = f"attacker-{group}"
        pki.issue(Identity(name, user="mallory", group=group))
        trust = ssl.create_default_context(cafile=str(pki.certificate("ca")))
        trust.load_cert_chain(pki.certificate(name), pki.key(name))
        admins = json.loads((state / "kubeconfig").read_text(encoding="utf-8"))
        server: str = admins["clusters"][0]["cluster"]["server"]
        self._address = urlsplit(server).netloc
        self._trust = trust

    def tries(self, attack: Attack) -> Answer:
        """Sends the request; what would be created is not kept."""
        kept = attack.method == "GET"
        return self._send(attack.method, attack.path, attack.body, attack.headers, kept=kept)

    def sends(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Sends a request that is carried out."""
        return self._send(method, path, body, {}, kept=True)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        *,
        kept: bool,
    ) -> Answer:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        # A connection for each request, since some come at once.
        wire = http.client.HTTPSConnection(self._address, context=self._trust, timeout=30)
        try:
            wire.request(
                method,
                path if kept else f"{path}?dryRun=All",
                json.dumps(body) if body is not None else None,
                {"Content-Type": kind, **headers},
            )
            answer = wire.getresponse()
            return Answer(answer.status, json.load(answer))
        finally:
            wire.close()
