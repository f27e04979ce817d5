"""Ask a part whether it is well."""

from __future__ import annotations

import http.client
import ssl
from typing import TYPE_CHECKING, Final

from gpu_cluster_sandbox.cluster.ports import LOOPBACK

if TYPE_CHECKING:
    from gpu_cluster_sandbox.cluster.parts import Part
    from gpu_cluster_sandbox.cluster.pki import Pki

_TIMEOUT_SECONDS: Final = 5.0


def trouble(part: Part, pki: Pki) -> str:
    """Why the part is not well; "" if it is."""
    connection: http.client.HTTPConnection
    if part.secure:
        connection = http.client.HTTPSConnection(
            LOOPBACK, part.port, timeout=_TIMEOUT_SECONDS, context=_context(part, pki)
        )
    else:
        connection = http.client.HTTPConnection(LOOPBACK, part.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", part.health)
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        connection.close()
    return "" if answer.status == http.client.OK else f"status {answer.status}: {body[-200:]}"


def _context(part: Part, pki: Pki) -> ssl.SSLContext:
    authority = "etcd-ca" if part.name == "etcd" else "ca"
    context = ssl.create_default_context(cafile=str(pki.certificate(authority)))
    if part.identity:
        context.load_cert_chain(pki.certificate(part.identity), pki.key(part.identity))
    return context
