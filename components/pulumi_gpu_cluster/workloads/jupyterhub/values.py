"""Values of the jupyterhub chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_gpu_cluster.node_pools.placement import selector, tolerations
from pulumi_gpu_cluster.scheduling.choice import Scheduler, queued_pod
from pulumi_gpu_cluster.section import seconds
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs, OidcArgs
from pulumi_gpu_cluster.workloads.jupyterhub.names import hub_host, hub_namespace, slug
from pulumi_gpu_cluster.workloads.jupyterhub.place import server_access
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import Profile
from pulumi_gpu_cluster.workloads.jupyterhub.secrets import SECRET_NAME

_MEBI: Final = 2**20
# A server waits in its tenant's queue, and for a large image; the chart gives up after 5 minutes.
_START_SECONDS: Final = 1800
_CULL_EVERY_SECONDS: Final = 300
_LOGGED_IN_DAYS: Final = 1
# source: zero-to-jupyterhub documentation, measured for some hundred users
_HUB: Final = {
    "requests": {"cpu": "200m", "memory": "512Mi"},
    "limits": {"memory": "1Gi"},
}
_PROXY: Final = {
    "requests": {"cpu": "200m", "memory": "256Mi"},
    "limits": {"memory": "512Mi"},
}
_UNPRIVILEGED: Final = {
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def jupyterhub_values(
    args: JupyterHubArgs,
    tenant: TenantArgs,
    profiles: Sequence[Profile],
    scheduler: Scheduler,
) -> dict[str, Any]:
    """What differs from the chart's own values.

    Args:
        args: The site file's section.
        tenant: Whose hub.
        profiles: What its people may choose.
        scheduler: Who holds its queue.
    """
    return {
        "hub": {
            "config": _hub_config(args, tenant, scheduler),
            "existingSecret": SECRET_NAME,
            "db": {"pvc": _storage_class(args, "storageClassName")},
            "networkPolicy": {"ingress": server_access(tenant.name)},
            "resources": _HUB,
        },
        "proxy": {"service": {"type": "ClusterIP"}, "chp": {"resources": _PROXY}},
        "ingress": _ingress(args, hub_host(tenant.name, args.domain)),
        "singleuser": {
            "image": {"name": args.image, "tag": ""},
            "startTimeout": _START_SECONDS,
            # It would be a privileged container in every server; the tenant's network is closed.
            "cloudMetadata": {"blockWithIptables": False},
            # Servers run in another namespace, which has a policy of ours.
            "networkPolicy": {"enabled": False},
            "storage": {
                "capacity": args.home.size,
                "dynamic": _storage_class(args, "storageClass"),
            },
            "profileList": _profile_list(profiles, tenant.name, scheduler),
        },
        # The hub works in its tenant's namespace and needs no rights in its own.
        "rbac": {"create": False},
        # Placing is the queue's business; nothing of the hub's runs on every node.
        "scheduling": {
            "userScheduler": {"enabled": False},
            "userPlaceholder": {"enabled": False},
            "corePods": {"nodeAffinity": {"matchNodePurpose": "ignore"}},
            "userPods": {"tolerations": [], "nodeAffinity": {"matchNodePurpose": "ignore"}},
        },
        "prePuller": {"hook": {"enabled": False}, "continuous": {"enabled": False}},
        "cull": {
            "timeout": seconds(args.idle),
            "every": _CULL_EVERY_SECONDS,
            **({"maxAge": seconds(args.longest)} if args.longest is not None else {}),
        },
    }


def _hub_config(
    args: JupyterHubArgs, tenant: TenantArgs, scheduler: Scheduler
) -> dict[str, dict[str, Any]]:
    named = queued_pod(scheduler, tenant.name, "").scheduler
    return {
        "JupyterHub": {
            "authenticator_class": "generic-oauth",
            # Admins start and stop servers; nobody opens somebody else's.
            "admin_access": False,
            # Who left the tenant's group is in until then, and with a token as long as that.
            "cookie_max_age_days": _LOGGED_IN_DAYS,
            "token_expires_in_max_seconds": _LOGGED_IN_DAYS * 24 * 3600,
            # Servers look for it from another namespace.
            "hub_connect_url": f"http://hub.{hub_namespace(tenant.name)}:8081",
        },
        "GenericOAuthenticator": _authenticator(args.oidc, tenant, args.domain),
        "KubeSpawner": {
            "namespace": tenant.name,
            "delete_pvc": False,
            "container_security_context": _UNPRIVILEGED,
            **({"scheduler_name": named} if named else {}),
        },
    }


def _authenticator(oidc: OidcArgs, tenant: TenantArgs, domain: str) -> dict[str, Any]:
    """source: jupyterhub/oauthenticator 17.4.0, which the chart's hub image holds."""
    admins = [] if tenant.admins is None else [tenant.admins.removeprefix(oidc.group_prefix)]
    return {
        "authorize_url": oidc.authorize_url,
        "token_url": oidc.token_url,
        "userdata_url": oidc.userinfo_url,
        "client_id": oidc.client_id,
        "oauth_callback_url": f"https://{hub_host(tenant.name, domain)}/hub/oauth_callback",
        "scope": list(oidc.scopes),
        "username_claim": oidc.username_claim,
        "manage_groups": True,
        "auth_state_groups_key": f"oauth_user.{oidc.groups_claim}",
        "allowed_groups": [tenant.group.removeprefix(oidc.group_prefix), *admins],
        "admin_groups": admins,
    }


def _ingress(args: JupyterHubArgs, host: str) -> dict[str, Any]:
    """One host name and nothing without TLS."""
    issued = args.cluster_issuer is not None
    return {
        "enabled": True,
        "hosts": [host],
        "tls": [{"hosts": [host], **({"secretName": "jupyterhub-tls"} if issued else {})}],
        **({"ingressClassName": args.ingress_class} if args.ingress_class is not None else {}),
        **(
            {"annotations": {"cert-manager.io/cluster-issuer": args.cluster_issuer}}
            if issued
            else {}
        ),
    }


def _profile_list(
    profiles: Sequence[Profile], tenant: str, scheduler: Scheduler
) -> list[dict[str, Any]]:
    return [
        {
            "display_name": profile.title,
            "slug": slug(profile.title),
            "description": f"{_cores(profile)} CPUs, {_memory(profile)} of memory",
            "kubespawner_override": _override(profile, tenant, scheduler),
            **({"default": True} if position == 0 else {}),
        }
        for position, profile in enumerate(profiles)
    ]


def _override(profile: Profile, tenant: str, scheduler: Scheduler) -> dict[str, Any]:
    pod = queued_pod(scheduler, tenant, profile.pool.name)
    devices = {name: str(count) for name, count in profile.devices.items()}
    return {
        "cpu_guarantee": _cores(profile),
        "mem_guarantee": _memory(profile),
        "mem_limit": _memory(profile),
        "extra_resource_guarantees": devices,
        "extra_resource_limits": devices,
        "node_selector": dict(selector(profile.pool)),
        "tolerations": tolerations(profile.pool),
        "extra_labels": {"hub.jupyter.org/network-access-hub": "true", **pod.labels},
        "extra_annotations": dict(pod.annotations),
    }


def _cores(profile: Profile) -> float:
    return float(profile.cpu)


def _memory(profile: Profile) -> str:
    """In KubeSpawner's units, whose M is a mebibyte."""
    return f"{int(profile.memory) // _MEBI}M"


def _storage_class(args: JupyterHubArgs, key: str) -> Mapping[str, str]:
    return {key: args.home.storage_class} if args.home.storage_class is not None else {}
