"""A Slurm cluster: database, accounting, controller, nodes, and the tenants' accounts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, Namespace
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import PLATFORM, namespace
from pulumi_gpu_cluster.objects.secrets import encoded_secret, opaque_secret
from pulumi_gpu_cluster.slurm.accounting_job import accounting_job
from pulumi_gpu_cluster.slurm.accounts import Account, accounting_list
from pulumi_gpu_cluster.slurm.args import SlurmArgs
from pulumi_gpu_cluster.slurm.database import database
from pulumi_gpu_cluster.slurm.gres import tres
from pulumi_gpu_cluster.slurm.login_job import login_job
from pulumi_gpu_cluster.slurm.names import (
    CLUSTER,
    DATABASE_PASSWORDS,
    JWT_KEY,
    SLURM_KEY,
    SSSD_CONF,
)
from pulumi_gpu_cluster.slurm.network import no_metadata
from pulumi_gpu_cluster.slurm.node_set import node_set
from pulumi_gpu_cluster.slurm.objects import (
    accounting,
    accounting_token,
    controller,
    login_set,
    rest_api,
)
from pulumi_gpu_cluster.slurm.slurm_conf import controller_settings, files

SLURM_CLUSTER_TYPE: Final = "gpu-cluster:slurm:SlurmCluster"
"""Type token of the component; lives in users' state, so it never changes."""

_NO_DEVICES: Final[Mapping[str, Mapping[str, str]]] = {}

# An sssd that knows the users of its own pod, which are root and Slurm's.
_LOCAL_USERS: Final = """\
[sssd]
services = nss, pam
domains = local

[domain/local]
id_provider = proxy
proxy_lib_name = files
auth_provider = proxy
proxy_pam_target = sssd-shadowutils
"""


@dataclass(frozen=True, slots=True)
class SlurmSecrets:
    """What a Slurm cluster keeps to itself; all of it stays the same for the cluster's life.

    Attributes:
        slurm_key: Key of its daemons, in base64.
        jwt_key: Key that signs tokens, in base64.
        database_password: Password of its user in the database.
        database_root_password: Password of the database's root.
        sssd_conf: Where users of the login pods come from; None for root alone.
    """

    slurm_key: pulumi.Input[str]
    jwt_key: pulumi.Input[str]
    database_password: pulumi.Input[str]
    database_root_password: pulumi.Input[str]
    sssd_conf: pulumi.Input[str] | None = None


class SlurmCluster(KubernetesComponent):
    """Slurm on the pools that it schedules.

    Each step waits for the one before: the database is ready, slurmdbd answers a question and
    knows the cluster, then the controller starts, which without them would die or start with no
    limits, then nodes and accounts.
    """

    def __init__(
        self,
        name: str,
        args: SlurmArgs,
        *,
        cluster_name: str,
        pools: Sequence[NodePoolArgs],
        accounts: Sequence[Account],
        secrets: SlurmSecrets,
        devices: Mapping[str, Mapping[str, str]] = _NO_DEVICES,
        expendable: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Makes the cluster.

        Args:
            name: Name of the component.
            args: The site file's section.
            cluster_name: Slurm's name of the cluster, where the section says none.
            pools: The pools that Slurm schedules.
            accounts: The tenants' accounts.
            secrets: Its keys and passwords.
            devices: Further extended resources of each node, by pool.
            expendable: Whether the site allows that its data goes.
            opts: Options of the component, with the Kubernetes provider.
        """
        slurm_name = args.cluster_name or cluster_name
        props = {"namespace": args.namespace, "cluster": slurm_name}
        super().__init__(SLURM_CLUSTER_TYPE, name, props, opts)
        self._name, self._args, self._slurm_name = name, args, slurm_name
        home = self._namespace(expendable=expendable)
        there = self._secrets(secrets, home, expendable=expendable)
        registered = self._accounting(there, expendable=expendable)
        running = self._controller(pools, accounts, registered)
        fence = no_metadata(f"{name}-no-metadata", args.namespace, self.child(after=[home]))
        inside = self.child(after=[running, fence, *there])
        for pool in pools:
            node_set(
                f"{name}-{pool.name}",
                pool,
                namespace=args.namespace,
                devices=dict(devices.get(pool.name, {})),
                opts=inside,
            )
        if args.login is not None:
            login_set(f"{name}-login", args.namespace, args.login, inside)
        accounting_job(
            f"{name}-accounts",
            f"{CLUSTER}-accounts",
            namespace=args.namespace,
            cluster_name=slurm_name,
            wanted=accounting_list(slurm_name, tres(pools), accounts),
            opts=self.child(after=[running]),
        )
        self.register_outputs(props)

    def _namespace(self, *, expendable: bool) -> Namespace:
        """The namespace, which holds the volumes and so goes only where data may."""
        return namespace(
            f"{self._name}-namespace",
            self._args.namespace,
            PLATFORM,
            _kept(self.child(), expendable=expendable),
        )

    def _secrets(
        self, secrets: SlurmSecrets, home: Namespace, *, expendable: bool
    ) -> list[pulumi.Resource]:
        name, space, inside = self._name, self._args.namespace, self.child(after=[home])
        made: list[pulumi.Resource] = [
            encoded_secret(
                f"{name}-slurm-key", space, SLURM_KEY, {"slurm.key": secrets.slurm_key}, inside
            ),
            encoded_secret(f"{name}-jwt-key", space, JWT_KEY, {"jwt.key": secrets.jwt_key}, inside),
            opaque_secret(
                f"{name}-database-passwords",
                space,
                DATABASE_PASSWORDS,
                {
                    "password": secrets.database_password,
                    "root-password": secrets.database_root_password,
                },
                # Both go or both stay: without its passwords a volume is shut.
                _kept(inside, expendable=expendable),
            ),
        ]
        if self._args.login is not None:
            conf = _LOCAL_USERS if secrets.sssd_conf is None else secrets.sssd_conf
            made.append(
                opaque_secret(f"{name}-sssd", space, SSSD_CONF, {"sssd.conf": conf}, inside)
            )
        return made

    def _accounting(self, there: Sequence[pulumi.Resource], *, expendable: bool) -> pulumi.Resource:
        """Database and slurmdbd; what comes back is there once slurmdbd knows the cluster."""
        name, args = self._name, self._args
        store = database(
            f"{name}-database",
            args.database,
            namespace=args.namespace,
            storage_class=args.storage_class,
            expendable=expendable,
            opts=self.child(after=there),
        )
        # Beside the database and not after it, which waits until it is ready.
        login = login_job(
            f"{name}-database-login", namespace=args.namespace, opts=self.child(after=there)
        )
        dbd = accounting(f"{name}-accounting", args.namespace, self.child(after=[store, login]))
        token = accounting_token(f"{name}-token", args.namespace, self.child(after=there))
        return accounting_job(
            f"{name}-registered",
            f"{CLUSTER}-registered",
            namespace=args.namespace,
            cluster_name=self._slurm_name,
            wanted=f"cluster|{self._slurm_name}\n",
            opts=self.child(after=[dbd, token]),
        )

    def _controller(
        self,
        pools: Sequence[NodePoolArgs],
        accounts: Sequence[Account],
        registered: pulumi.Resource,
    ) -> pulumi.Resource:
        """The controller; what comes back is there once the operator can speak to it."""
        name, args = self._name, self._args
        beside = files(pools)
        digest = hashlib.sha256("\0".join(sorted(beside.values())).encode()).hexdigest()[:10]
        config = ConfigMap(
            f"{name}-files",
            # By its content: another content never takes the place of one that pods mount.
            metadata=ObjectMetaArgs(name=f"{CLUSTER}-files-{digest}", namespace=args.namespace),
            data=beside,
            opts=self.child(after=[registered]),
        )
        may_use = {
            pool.name: [one.name for one in accounts if pool.name in one.pools] for pool in pools
        }
        running = controller(
            f"{name}-controller",
            args.namespace,
            cluster_name=self._slurm_name,
            settings=controller_settings(args.partitions, pools, may_use),
            files=f"{CLUSTER}-files-{digest}",
            storage_class=args.storage_class,
            opts=self.child(after=[config, registered]),
        )
        return rest_api(f"{name}-rest-api", args.namespace, self.child(after=[running]))


def _kept(opts: pulumi.ResourceOptions, *, expendable: bool) -> pulumi.ResourceOptions:
    """Options of a child that holds data, or without which data is lost."""
    keep = not expendable
    return pulumi.ResourceOptions.merge(
        opts, pulumi.ResourceOptions(protect=keep, retain_on_delete=keep)
    )
