"""A chart's archive from where the site's charts come from, as Helm finds it there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urljoin

from pulumi_gpu_cluster.operations.crds.archive import (
    crds_in_archive,
    crds_in_folder,
    yaml_documents,
)
from pulumi_gpu_cluster.operations.crds.errors import ChartError

if TYPE_CHECKING:
    from httpx2 import Client, Response

    from pulumi_gpu_cluster.catalog.charts import Chart
    from pulumi_gpu_cluster.charts import ChartLocation

_OCI: Final = "oci://"
_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
_LAYER: Final = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_CHALLENGE: Final = re.compile(r'([a-z_]+)="([^"]*)"')
_UNAUTHORIZED: Final = 401
_TIMEOUT_SECONDS: Final = 60.0

Crds = dict[str, dict[str, Any]]


def chart_crds(
    chart: Chart, location: ChartLocation, environment: Mapping[str, str]
) -> Callable[[str], Crds]:
    """Finds a chart, once, and gives the CRDs of it or of a chart that it bundles.

    Args:
        chart: The chart.
        location: Where it is, as Helm is told.
        environment: Proxies, and where passwords of registries lie, are read from it.

    Raises:
        ChartError: It is not there, or cannot be had.
    """
    if location.repository is None and not location.chart.startswith(_OCI):
        path = Path(location.chart)
        if path.is_dir():
            return lambda subchart: crds_in_folder(path, subchart)
        try:
            packed = path.read_bytes()
        except OSError as error:
            raise ChartError(
                f"cannot read chart {chart.name} {chart.version} at {path} "
                f"({error.strerror}); fix: put it there, or name another folder in charts.path"
            ) from None
        return lambda subchart: crds_in_archive(packed, subchart)
    packed = _download(chart, location, environment)
    return lambda subchart: crds_in_archive(packed, subchart)


def _download(chart: Chart, location: ChartLocation, environment: Mapping[str, str]) -> bytes:
    from httpx2 import Client, HTTPError, InvalidURL  # noqa: PLC0415 (slow to import)

    where = location.repository or location.chart
    what = f"chart {chart.name} {chart.version} from {where}"
    with Client(follow_redirects=True, timeout=_TIMEOUT_SECONDS) as client:
        try:
            if location.repository is None:
                return from_registry(client, location.chart, chart.version, environment)
            return from_repository(client, location.repository, chart)
        except (HTTPError, InvalidURL) as error:
            raise ChartError(
                f"cannot get {what} ({type(error).__name__}: {error}); fix: see to the way "
                "there, or name a mirror or a folder in charts"
            ) from None


def from_repository(client: Client, repository: str, chart: Chart) -> bytes:
    """The archive out of a repository with an index.

    Raises:
        ChartError: The index does not have the version.
    """
    base = repository.rstrip("/") + "/"
    listed = _got(client, urljoin(base, "index.yaml")).content
    index: Any = next(iter(yaml_documents(listed, f"the index of {repository}")), None) or {}
    entries = cast("list[dict[str, Any]]", (index.get("entries") or {}).get(chart.name) or [])
    for entry in entries:
        if entry.get("version") == chart.version:
            packed = _got(client, urljoin(base, entry["urls"][0])).content
            return _intact(packed, entry.get("digest"), chart.name)
    raise ChartError(
        f"{repository} has no chart {chart.name} {chart.version}; fix: bring it into the mirror"
    )


def from_registry(
    client: Client, address: str, version: str, environment: Mapping[str, str]
) -> bytes:
    """The archive out of an OCI registry.

    Args:
        client: Asks.
        address: The chart's: oci://registry/path/chart.
        version: The chart's version.
        environment: Says where Helm and Docker keep their passwords of registries.

    Raises:
        ChartError: What is there is no chart.
    """
    host, _, name = address.removeprefix(_OCI).partition("/")
    url = f"https://{host}/v2/{name}"
    # A tag cannot have a plus sign.
    manifest_url = f"{url}/manifests/{version.replace('+', '_')}"
    headers = {"Accept": _MANIFEST}
    answer = client.get(manifest_url, headers=headers)
    if answer.status_code == _UNAUTHORIZED:
        headers["Authorization"] = _authorization(client, answer, _password(host, environment))
        answer = client.get(manifest_url, headers=headers)
    manifest = json.loads(answer.raise_for_status().content)
    for layer in manifest.get("layers", ()):
        if layer.get("mediaType") == _LAYER:
            blob = client.get(f"{url}/blobs/{layer['digest']}", headers=headers)
            return _intact(blob.raise_for_status().content, layer["digest"], name)
    raise ChartError(f"what {address} has as {version} is no chart")


def _authorization(client: Client, refused: Response, password: str | None) -> str:
    """What a registry wants to see, by the way that it names itself."""
    scheme, _, rest = refused.headers.get("WWW-Authenticate", "").partition(" ")
    basic = {"Authorization": f"Basic {password}"} if password else {}
    if scheme.lower() != "bearer":
        return basic.get("Authorization", "")
    told = dict(_CHALLENGE.findall(rest))
    asked = {key: told[key] for key in ("service", "scope") if key in told}
    answer = client.get(told.get("realm", ""), params=asked, headers=basic).raise_for_status()
    token: dict[str, str] = json.loads(answer.content)
    return f"Bearer {token.get('token') or token.get('access_token', '')}"


def _password(host: str, environment: Mapping[str, str]) -> str | None:
    """User and password of a registry, as `helm registry login` or Docker left them."""
    home = Path(environment.get("HOME", "~")).expanduser()
    files = [
        Path(environment.get("HELM_REGISTRY_CONFIG", home / ".config/helm/registry/config.json")),
        Path(environment.get("DOCKER_CONFIG", home / ".docker")) / "config.json",
    ]
    for file in files:
        try:
            known = json.loads(file.read_text("utf-8")).get("auths", {})
        except (OSError, ValueError):
            continue
        if password := known.get(host, {}).get("auth"):
            return str(password)
    return None


def _got(client: Client, url: str) -> Response:
    return client.get(url).raise_for_status()


def _intact(packed: bytes, digest: str | None, name: str) -> bytes:
    if digest and hashlib.sha256(packed).hexdigest() != digest.removeprefix("sha256:"):
        raise ChartError(f"chart {name} is not what its digest says; fix: get the mirror mended")
    return packed
