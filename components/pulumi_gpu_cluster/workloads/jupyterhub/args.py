"""The site file's section on notebooks."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, Field, SecretStr

from pulumi_gpu_cluster.cuda import Cuda
from pulumi_gpu_cluster.kubernetes_names import is_subdomain
from pulumi_gpu_cluster.secret import Generated, Given
from pulumi_gpu_cluster.section import (
    HTTPS_URL,
    Bytes,
    DnsLabel,
    Duration,
    ObjectName,
    Positive,
    Quantity,
    Section,
    Text,
    Word,
)

# source: distribution/reference v0.6.0 regexp.go, names in lower case, a tag or a digest behind
_IMAGE: Final = re.compile(
    r"[a-z0-9][-a-z0-9.:/_]*(?::(?P<tag>[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})|@sha256:[0-9a-f]{64})"
)


def _pinned(image: str) -> str:
    found = _IMAGE.fullmatch(image)
    if found is None or "/" in (found["tag"] or "") or found["tag"] == "latest":
        raise ValueError(
            "is no pinned image; write registry/name:tag or registry/name@sha256:..., and not "
            "latest, which is another one tomorrow"
        )
    return image


def _domain(name: str) -> str:
    if not is_subdomain(name) or "." not in name:
        raise ValueError("is no DNS domain; write for example jupyter.lab.example")
    return name


class OidcArgs(Section):
    """The identity provider that says who somebody is, and in which groups."""

    authorize_url: Annotated[str, Field(pattern=HTTPS_URL)]
    """Where people log in: `authorization_endpoint` of its OpenID configuration."""

    token_url: Annotated[str, Field(pattern=HTTPS_URL)]
    """Its `token_endpoint`."""

    userinfo_url: Annotated[str, Field(pattern=HTTPS_URL)]
    """Its `userinfo_endpoint`."""

    client_id: Word
    """The client that the provider knows all hubs by. It allows the addresses
    `https://<tenant>.<domain>/hub/oauth_callback`."""

    client_secret: Annotated[
        SecretStr | None, Given("the client's secret at the identity provider")
    ] = None
    """The client's secret: `pulumi config set --secret --path
    gpu-cluster:site.workloads.jupyterhub.oidc.client_secret`."""

    scopes: tuple[Word, ...] = ("openid", "profile", "groups")
    """What the hub asks the provider for."""

    username_claim: Word = "preferred_username"
    """The claim that holds a person's name."""

    groups_claim: Word = "groups"
    """The claim that holds a person's groups, as a list."""

    group_prefix: str = ""
    """What the API server puts before the provider's group names, for example `oidc:`. Tenants'
    groups stand in the site file with it, and the provider's claim is without."""


class HomeArgs(Section):
    """Each person's home directory: a volume that outlives the notebook and the hub."""

    size: Bytes = "20Gi"
    """Size of the volume."""

    storage_class: DnsLabel | None = None
    """Its storage class; by default the cluster's own default."""


class ProfileArgs(Section):
    """What a person may choose to run a notebook on."""

    name: Text
    """What the person reads."""

    pool: DnsLabel
    """The pool that it runs in. Tenants without a quota there are not offered it."""

    device: Text | None = None
    """The GPU resource, as quotas name it: gpu for whole ones, mig-1g.10gb, or gpu.shared in a pool
    whose GPUs are shared. None for a notebook without GPU."""

    count: Positive = 1
    """How many of them."""

    cpu: Quantity | None = None
    """CPU cores; by default what the tenant's quota has beside each device."""

    memory: Bytes | None = None
    """Memory, request and limit; by default what the tenant's quota has beside each device."""


class JupyterHubArgs(Section):
    """Notebooks: a hub for each tenant, outside the tenant's namespace, with servers inside it."""

    domain: Annotated[str, AfterValidator(_domain)]
    """The DNS domain of all hubs: a tenant's is at https://<tenant>.<domain>, an origin of its
    own, so that nothing in one tenant's notebooks reaches another's."""

    oidc: OidcArgs
    """Who may log in. A tenant's hub lets in its group and its admins."""

    image: Annotated[str, AfterValidator(_pinned)]
    """The image of the notebook servers, with its tag or digest."""

    cuda: Cuda | None = None
    """The CUDA that `image` is built with ("13.0"), or an object: the drivers of the pools that
    notebooks with GPUs run in are held against it."""

    tenants: tuple[DnsLabel, ...] = ()
    """Tenants that get a hub; by default all of them."""

    profiles: tuple[ProfileArgs, ...] = ()
    """What people may choose; by default one of each device that the tenant has a quota of, and
    one without GPU in each pool that has none."""

    home: HomeArgs = Field(default_factory=HomeArgs)
    """Home directories."""

    idle: Duration = "1h"
    """How long a server may do nothing until it is stopped and its GPU is free again."""

    longest: Duration | None = None
    """How long a server may run at all; without end by default."""

    ingress_class: ObjectName | None = None
    """Class of the Ingress; by default the cluster's own default."""

    cluster_issuer: ObjectName | None = None
    """cert-manager's ClusterIssuer for the hubs' certificates. By default the ingress controller
    serves its own, which should be one for *.<domain>."""

    key: Annotated[SecretStr | None, Generated("key")] = None
    """What each hub's cookie secret and crypt key are derived from."""
