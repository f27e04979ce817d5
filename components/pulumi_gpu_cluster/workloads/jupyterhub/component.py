"""A tenant's hub: where its people start notebooks, within what the tenant has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import JUPYTERHUB
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import SERVICE, namespace
from pulumi_gpu_cluster.objects.rbac import role, service_account_binding
from pulumi_gpu_cluster.objects.releases import helm_release
from pulumi_gpu_cluster.scheduling.choice import Scheduler
from pulumi_gpu_cluster.tenancy.args import TenantArgs
from pulumi_gpu_cluster.workloads.jupyterhub.args import JupyterHubArgs
from pulumi_gpu_cluster.workloads.jupyterhub.names import hub_host, hub_namespace
from pulumi_gpu_cluster.workloads.jupyterhub.place import HUB_RIGHTS, server_network
from pulumi_gpu_cluster.workloads.jupyterhub.profiles import Profile
from pulumi_gpu_cluster.workloads.jupyterhub.secrets import contents, fingerprint, hub_secret
from pulumi_gpu_cluster.workloads.jupyterhub.values import jupyterhub_values

JUPYTERHUB_TYPE: Final = "gpu-cluster:workloads:JupyterHub"
"""Type token of the component; lives in users' state, so it never changes."""

_ROLE: Final = "jupyterhub"
_ACCOUNT: Final = "hub"
_FINGERPRINT: Final = "gpu-cluster.io/secrets"


class JupyterHub(KubernetesComponent):
    """One tenant's hub.

    The hub is in a namespace of its own, where the tenant's members have no rights: it holds
    what they log in with. The servers are in the tenant's namespace, where quota, queue,
    network policy and Pod Security hold them as they hold any pod.
    """

    def __init__(
        self,
        name: str,
        args: JupyterHubArgs,
        *,
        tenant: TenantArgs,
        profiles: Sequence[Profile],
        scheduler: Scheduler,
        key: pulumi.Input[str],
        client_secret: pulumi.Input[str],
        charts: ChartsArgs | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs the hub and lets it into the tenant's namespace.

        Args:
            name: Name of the component.
            args: The site file's section.
            tenant: Whose hub; its namespace and queue exist.
            profiles: What its people may choose, the first by default.
            scheduler: Who holds the tenant's queue.
            key: What the hub's own secrets are derived from.
            client_secret: The client's secret at the identity provider.
            charts: Where charts come from; by default upstream.
            opts: Options of the component, with the Kubernetes provider.
        """
        home = hub_namespace(tenant.name)
        props = {
            "tenant": tenant.name,
            "namespace": home,
            "version": JUPYTERHUB.version,
            "profiles": [profile.title for profile in profiles],
        }
        super().__init__(JUPYTERHUB_TYPE, name, props, opts)
        made = namespace(f"{name}-namespace", home, SERVICE, self.child())
        rights = role(f"{name}-role", tenant.name, _ROLE, HUB_RIGHTS, self.child())
        needed = [
            service_account_binding(
                f"{name}-binding", tenant.name, _ROLE, (home, _ACCOUNT), self.child(after=[rights])
            ),
            server_network(f"{name}-network", tenant.name, home, self.child()),
            hub_secret(
                f"{name}-secret",
                home,
                pulumi.Output.all(key, client_secret).apply(
                    lambda known: contents(tenant.name, *known)
                ),
                self.child(after=[made]),
            ),
        ]
        values = jupyterhub_values(args, tenant, profiles, scheduler)
        values["hub"]["annotations"] = {
            _FINGERPRINT: pulumi.Output.unsecret(
                pulumi.Output.all(key, client_secret).apply(
                    lambda known: fingerprint(tenant.name, *known)
                )
            )
        }
        helm_release(
            f"{name}-release",
            JUPYTERHUB,
            source=charts or ChartsArgs(),
            namespace=home,
            values=values,
            keep_crds=False,
            opts=self.child(after=needed),
        )
        self.register_outputs({**props, "url": f"https://{hub_host(tenant.name, args.domain)}"})
