"""Charts out of folders, repositories and registries, as Helm finds them there."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
import yaml
from made_charts import NAME, crd, manifest, packed

from pulumi_gpu_cluster.catalog.charts import Chart
from pulumi_gpu_cluster.charts import ChartLocation
from pulumi_gpu_cluster.operations.crds.errors import ChartError
from pulumi_gpu_cluster.operations.crds.fetch import chart_crds, from_registry, from_repository

PACKED = packed({"crds/things.yaml": manifest(crd())})
DIGEST = hashlib.sha256(PACKED).hexdigest()
CHART = Chart("things", "https://charts.example.org/stable", "1.0.0+build.1")
LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


def _client(answer: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.Client:
    return httpx2.Client(transport=httpx2.MockTransport(answer), follow_redirects=True)


def _index(url: str, digest: str = DIGEST) -> str:
    entry = {"version": CHART.version, "urls": [url], "digest": digest}
    return yaml.safe_dump({"entries": {"things": [{"version": "0.9.0", "urls": []}, entry]}})


@pytest.mark.parametrize("url", ["things-1.tgz", "https://files.example.org/a/things-1.tgz"])
def test_a_repository_names_the_archive_beside_it_or_elsewhere(url: str) -> None:
    whole = url if "://" in url else f"https://charts.example.org/stable/{url}"
    pages = {
        "https://charts.example.org/stable/index.yaml": _index(url).encode(),
        whole: PACKED,
    }
    client = _client(lambda request: httpx2.Response(200, content=pages[str(request.url)]))
    assert from_repository(client, CHART.repository, CHART) == PACKED


def test_a_mirror_without_the_version_is_told_by_its_address() -> None:
    client = _client(lambda _: httpx2.Response(200, text="entries: {things: []}"))
    with pytest.raises(ChartError, match=r"stable has no chart things 1\.0\.0.*into the mirror"):
        from_repository(client, CHART.repository, CHART)


def test_an_archive_that_is_not_what_its_digest_says_is_refused() -> None:
    index = _index("things-1.tgz", digest="0" * 64)
    client = _client(
        lambda request: httpx2.Response(
            200, content=index.encode() if request.url.path.endswith("index.yaml") else PACKED
        )
    )
    with pytest.raises(ChartError, match="not what its digest says"):
        from_repository(client, CHART.repository, CHART)


class _Registry:
    """A registry that wants a token, which it gives to whom it knows."""

    def __init__(self, password: str = "", media_type: str = LAYER) -> None:
        self.password, self.media_type = password, media_type
        self.asked: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(str(request.url))
        given = request.headers.get("Authorization", "")
        if request.url.path == "/token":
            wanted = f"Basic {base64.b64encode(self.password.encode()).decode()}"
            allowed = not self.password or given == wanted
            return httpx2.Response(200 if allowed else 403, json={"token": "one"})
        if given != "Bearer one":
            challenge = (
                'Bearer realm="https://login.example.org/token",service="r",scope="pull,push"'
            )
            return httpx2.Response(401, headers={"WWW-Authenticate": challenge})
        if "/manifests/" in request.url.path:
            layer = {"mediaType": self.media_type, "digest": f"sha256:{DIGEST}"}
            return httpx2.Response(200, json={"layers": [{"mediaType": "other"}, layer]})
        return httpx2.Response(200, content=PACKED)


def test_a_registry_is_asked_for_a_token_and_for_a_tag_without_a_plus_sign() -> None:
    registry = _Registry()
    address = "oci://registry.example.org/charts/things"
    assert from_registry(_client(registry), address, CHART.version, {}) == PACKED
    assert (
        registry.asked[0] == "https://registry.example.org/v2/charts/things/manifests/1.0.0_build.1"
    )
    assert registry.asked[1].startswith("https://login.example.org/token?service=r&scope=pull")


@pytest.mark.parametrize("variable", ["HELM_REGISTRY_CONFIG", "DOCKER_CONFIG"])
def test_a_registry_gets_the_password_that_helm_or_docker_was_given(
    tmp_path: Path, variable: str
) -> None:
    known = {"auths": {"registry.example.org": {"auth": base64.b64encode(b"u:planted").decode()}}}
    (tmp_path / "config.json").write_text(json.dumps(known))
    file = tmp_path / "config.json" if variable == "HELM_REGISTRY_CONFIG" else tmp_path
    environment = {"HOME": str(tmp_path / "nowhere"), variable: str(file)}
    client = _client(_Registry("u:planted"))
    address = "oci://registry.example.org/charts/things"
    assert from_registry(client, address, "1.0.0", environment) == PACKED
    with pytest.raises(httpx2.HTTPError):
        from_registry(client, address, "1.0.0", {"HOME": str(tmp_path / "nowhere")})


def test_an_image_that_is_no_chart_is_told() -> None:
    client = _client(_Registry(media_type="application/vnd.oci.image.layer.v1.tar+gzip"))
    with pytest.raises(ChartError, match="is no chart"):
        from_registry(client, "oci://registry.example.org/things", "1.0.0", {})


def test_a_folder_without_the_chart_is_told_with_the_path(tmp_path: Path) -> None:
    path = tmp_path / "things-1.0.0.tgz"
    with pytest.raises(ChartError, match=r"things-1\.0\.0\.tgz \(No such file.*charts\.path"):
        chart_crds(CHART, ChartLocation(str(path)), {})
    path.write_bytes(PACKED)
    assert list(chart_crds(CHART, ChartLocation(str(path)), {})("")) == [NAME]
