"""BeeGFS in a cluster: the CSI driver, and a StorageClass for each file system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ServiceAccount, VolumeArgs
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import CSIDriver, CSIDriverSpecArgs

from pulumi_gpu_cluster.catalog.versions import BEEGFS_CSI_IMAGE
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import PLATFORM, namespace
from pulumi_gpu_cluster.objects.rbac import cluster_role, cluster_role_binding
from pulumi_gpu_cluster.storage.beegfs.args import BeegfsArgs, BeegfsFileSystemArgs
from pulumi_gpu_cluster.storage.beegfs.containers import DRIVER, settings_volumes
from pulumi_gpu_cluster.storage.beegfs.placement import beside_jobs, on_every_node
from pulumi_gpu_cluster.storage.beegfs.rights import PROVISIONER_RIGHTS
from pulumi_gpu_cluster.storage.beegfs.settings import certificates, settings, shared_secrets
from pulumi_gpu_cluster.storage.beegfs.workloads import CONTROLLER, NODE, controller, node_plugin
from pulumi_gpu_cluster.storage.storage_class import storage_class

BEEGFS_STORAGE_TYPE: Final = "gpu-cluster:storage:BeegfsStorage"
"""Type token of the component; lives in users' state, so it never changes."""

_PROVISIONER: Final = "gpu-cluster-beegfs-provisioner"


class BeegfsStorage(KubernetesComponent):
    """Volumes in BeeGFS file systems, which themselves are somebody else's to run."""

    def __init__(
        self,
        name: str,
        args: BeegfsArgs,
        *,
        pools: Sequence[NodePoolArgs],
        auth: Mapping[str, pulumi.Input[str]] | None = None,
        default_class: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Runs the driver and makes the classes.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: All node pools; the driver runs on those that the section names.
            auth: Shared secrets by the file system's name, before those of the section.
            default_class: The StorageClass of claims that name none.
            opts: Options of the component, with the Kubernetes provider.

        Raises:
            KeyError: A file system has no shared secret.
        """
        classes = [one.name for one in args.file_systems]
        props = {"image": BEEGFS_CSI_IMAGE, "namespace": args.namespace, "classes": classes}
        super().__init__(BEEGFS_STORAGE_TYPE, name, props, opts)
        self._name, self._args = name, args
        home = namespace(f"{name}-namespace", args.namespace, PLATFORM, self.child())
        inside = self.child(after=[home])
        volumes = self._settings({**_given(args), **(auth or {})}, inside)
        workloads = self._workloads(_chosen(args, pools), volumes, self._accounts(inside))
        driver = CSIDriver(
            f"{name}-driver",
            metadata=ObjectMetaArgs(name=DRIVER),
            spec=CSIDriverSpecArgs(
                attach_required=False,
                fs_group_policy="None",
                volume_lifecycle_modes=["Persistent"],
            ),
            opts=self.child(),
        )
        for one in args.file_systems:
            storage_class(
                f"{name}-{one.name}-class",
                one.name,
                DRIVER,
                _parameters(one),
                default=one.name == default_class,
                grows=True,
                opts=self.child(after=[driver, *workloads]),
            )
        self.register_outputs(props)

    def _settings(
        self, auth: Mapping[str, pulumi.Input[str]], inside: pulumi.ResourceOptions
    ) -> list[VolumeArgs]:
        home, file_systems = self._args.namespace, self._args.file_systems
        return settings_volumes(
            settings(f"{self._name}-config", home, file_systems, inside).metadata.name,
            shared_secrets(f"{self._name}-auth", home, file_systems, auth, inside).metadata.name,
            certificates(f"{self._name}-certificates", home, file_systems, inside).metadata.name,
        )

    def _accounts(self, inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
        """A service account for each workload; only the controller's may do anything."""
        name, home = self._name, self._args.namespace
        accounts = [
            ServiceAccount(
                f"{name}-{part}-account",
                metadata=ObjectMetaArgs(name=account, namespace=home),
                automount_service_account_token=False,
                opts=inside,
            )
            for part, account in (("controller", CONTROLLER), ("node", NODE))
        ]
        role = cluster_role(f"{name}-role", _PROVISIONER, PROVISIONER_RIGHTS, self.child())
        binding = cluster_role_binding(
            f"{name}-role-binding", _PROVISIONER, (home, CONTROLLER), self.child(after=[role])
        )
        return [*accounts, binding]

    def _workloads(
        self,
        pools: Sequence[NodePoolArgs],
        volumes: Sequence[VolumeArgs],
        after: Sequence[pulumi.Resource],
    ) -> list[pulumi.Resource]:
        name, home, ready = self._name, self._args.namespace, self.child(after=after)
        return [
            controller(
                f"{name}-controller", home, settings=volumes, where=beside_jobs(pools), opts=ready
            ),
            node_plugin(
                f"{name}-node", home, settings=volumes, where=on_every_node(pools), opts=ready
            ),
        ]


def _given(args: BeegfsArgs) -> dict[str, pulumi.Input[str]]:
    return {
        one.name: pulumi.Output.secret(one.auth.get_secret_value())
        for one in args.file_systems
        if one.auth is not None
    }


def _chosen(args: BeegfsArgs, pools: Sequence[NodePoolArgs]) -> list[NodePoolArgs]:
    """The pools whose nodes have the BeeGFS client."""
    return [pool for pool in pools if not args.pools or pool.name in args.pools]


def _parameters(one: BeegfsFileSystemArgs) -> dict[str, str]:
    stripe = {
        "stripePattern/numTargets": one.stripe.targets,
        "stripePattern/chunkSize": one.stripe.chunk_size,
        "stripePattern/storagePoolID": one.stripe.storage_pool,
    }
    return {
        "sysMgmtdHost": one.management,
        "volDirBasePath": one.path,
        "permissions/uid": str(one.user_id),
        "permissions/gid": str(one.group_id),
        "permissions/mode": one.mode,
        **{key: str(value) for key, value in stripe.items() if value is not None},
    }
