"""A Ceph cluster on the site's own disks: Rook, the CSI drivers, and what they offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi

from pulumi_gpu_cluster.catalog.charts import CEPH_CSI_DRIVERS, ROOK_CEPH
from pulumi_gpu_cluster.charts import ChartsArgs
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.objects.component import KubernetesComponent
from pulumi_gpu_cluster.objects.namespaces import PLATFORM, namespace
from pulumi_gpu_cluster.objects.releases import helm_release
from pulumi_gpu_cluster.storage.ceph import class_parameters as parameters
from pulumi_gpu_cluster.storage.ceph import objects
from pulumi_gpu_cluster.storage.ceph.args import CephArgs, CephObjectsArgs, CephPoolArgs
from pulumi_gpu_cluster.storage.ceph.cluster_spec import cluster_spec
from pulumi_gpu_cluster.storage.ceph.values import driver_values, operator_values
from pulumi_gpu_cluster.storage.classes import ceph_pools, driver_name
from pulumi_gpu_cluster.storage.storage_class import storage_class

CEPH_STORAGE_TYPE: Final = "gpu-cluster:storage:CephStorage"
"""Type token of the component; lives in users' state, so it never changes."""


class CephStorage(KubernetesComponent):
    """Block devices, files and objects from a Ceph cluster that Rook keeps.

    Rook's objects hold data, so each is protected by itself, and so are Rook and its namespace,
    without which they cannot be: dropping one from the site file or destroying the stack is
    refused, unless the site gives up its data. Then they go in the order that Rook can follow,
    each waited for: classes, pools and file systems, the cluster, the drivers, and Rook last,
    without which nothing of Ceph can be deleted.
    """

    def __init__(
        self,
        name: str,
        args: CephArgs,
        *,
        pools: Sequence[NodePoolArgs],
        default_class: str | None = None,
        charts: ChartsArgs | None = None,
        expendable: bool = False,
        delete_crds: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Installs Rook and makes the cluster with everything it offers.

        Args:
            name: Name of the component.
            args: The site file's section.
            pools: All node pools: volumes may be mounted on any of their nodes.
            default_class: The StorageClass of claims that name none.
            charts: Where charts come from; by default upstream.
            expendable: Whether the site allows that its data goes.
            delete_crds: Whether the CRDs of the CSI operator go with it. Rook's own stay: its
                chart says so.
            opts: Options of the component, with the Kubernetes provider.
        """
        kinds = dict(ceph_pools(args))
        props = {
            "version": ROOK_CEPH.version,
            "namespace": args.namespace,
            "nodes": list(args.node_names),
            "classes": [pool.storage_class for pool in kinds.values()],
        }
        super().__init__(CEPH_STORAGE_TYPE, name, props, opts)
        self._name, self._args, self._default = name, args, default_class
        self._kept = not expendable
        drivers = self._drivers(pools, charts, delete_crds=delete_crds)
        cluster = objects.ceph_cluster(
            f"{name}-cluster",
            args.namespace,
            cluster_spec(args, _storage_pools(args, pools)),
            self._holding([drivers]),
        )
        if args.block.enabled:
            self._block(cluster)
        if args.filesystem.enabled:
            self._files(cluster)
        if args.objects is not None:
            self._objects(args.objects, cluster)
        self.register_outputs(props)

    def _drivers(
        self, pools: Sequence[NodePoolArgs], charts: ChartsArgs | None, *, delete_crds: bool
    ) -> pulumi.Resource:
        """Rook, and after it the CSI drivers, whose kinds its chart brings."""
        own = _storage_pools(self._args, pools)
        home = namespace(
            f"{self._name}-namespace", self._args.namespace, PLATFORM, self._holding([])
        )
        rook = helm_release(
            f"{self._name}-release",
            ROOK_CEPH,
            source=charts or ChartsArgs(),
            namespace=self._args.namespace,
            values=operator_values(own),
            keep_crds=not delete_crds,
            opts=self._holding([home]),
        )
        return helm_release(
            f"{self._name}-drivers",
            CEPH_CSI_DRIVERS,
            source=charts or ChartsArgs(),
            namespace=self._args.namespace,
            values=driver_values(self._args.namespace, pools, own),
            keep_crds=not delete_crds,
            opts=self._holding([rook]),
        )

    def _block(self, cluster: pulumi.Resource) -> None:
        args, home = self._args.block, self._args.namespace
        made = [
            objects.block_pool(
                f"{self._name}-block",
                home,
                objects.BLOCK_POOL,
                objects.replicated(args),
                self._holding([cluster]),
            )
        ]
        if args.erasure is not None:
            made.append(
                objects.block_pool(
                    f"{self._name}-block-data",
                    home,
                    f"{objects.BLOCK_POOL}-{objects.DATA}",
                    objects.pieces(args),
                    self._holding([cluster]),
                )
            )
        told = parameters.block_parameters(home, args)
        self._class("block", args, driver_name(home, "rbd"), told, made)

    def _files(self, cluster: pulumi.Resource) -> None:
        args, home = self._args.filesystem, self._args.namespace
        files = objects.filesystem(f"{self._name}-files", home, args, self._holding([cluster]))
        group = objects.subvolume_group(f"{self._name}-files-csi", home, self._holding([files]))
        told = parameters.filesystem_parameters(home, args)
        self._class("files", args, driver_name(home, "cephfs"), told, [group])

    def _objects(self, args: CephObjectsArgs, cluster: pulumi.Resource) -> None:
        home = self._args.namespace
        store = objects.object_store(f"{self._name}-objects", home, args, self._holding([cluster]))
        told = parameters.bucket_parameters(home)
        self._class("objects", args, parameters.bucket_provisioner(home), told, [store])

    def _class(
        self,
        kind: str,
        args: CephPoolArgs,
        provisioner: str,
        told: dict[str, str],
        after: Sequence[pulumi.Resource],
    ) -> None:
        storage_class(
            f"{self._name}-{kind}-class",
            args.storage_class,
            provisioner,
            told,
            default=args.storage_class == self._default,
            grows=kind != "objects",
            opts=self.child(after=after),
        )

    def _holding(self, after: Sequence[pulumi.Resource]) -> pulumi.ResourceOptions:
        """Options of a child that holds data, or without which such a one cannot be."""
        kept = pulumi.ResourceOptions(protect=self._kept, retain_on_delete=self._kept)
        return pulumi.ResourceOptions.merge(self.child(after=after), kept)


def _storage_pools(args: CephArgs, pools: Sequence[NodePoolArgs]) -> list[NodePoolArgs]:
    nodes = set(args.node_names)
    return [pool for pool in pools if nodes.intersection(pool.node_names)]
