"""The control plane: the API server that everything else is made in."""

from __future__ import annotations

from typing import Final

import pulumi
import pulumi_kubernetes as kubernetes

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.control_plane.args import ControlPlaneArgs
from pulumi_gpu_cluster.control_plane.unbuilt import unbuilt
from pulumi_gpu_cluster.paths import from_project

CONTROL_PLANE_TYPE: Final = "gpu-cluster:control-plane:ControlPlane"
"""Type token of the component; lives in users' state, so it never changes."""


class ControlPlane(pulumi.ComponentResource):
    """A cluster's API server, and the Kubernetes provider that talks to it.

    Attributes:
        access: The way in, for commands of ours.
        provider: The provider that everything inside the cluster uses.
    """

    access: ClusterAccess
    provider: kubernetes.Provider

    def __init__(
        self,
        name: str,
        args: ControlPlaneArgs,
        *,
        identifier: str,
        kubeconfig: pulumi.Input[str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Makes the provider.

        Args:
            name: Name of the component.
            args: The site file's section.
            identifier: What the cluster is to the provider, for ever. Only a change of it
                replaces the provider and everything made with it; a new address, proxy or
                certificate in the kubeconfig does not.
            kubeconfig: The kubeconfig, where another resource made it; goes before the
                section's own.
            opts: Options of the component.

        Raises:
            pulumi.RunError: It would have to be built over SSH, and no kubeconfig tells of one
                that another resource built.
        """
        refused = unbuilt(args)
        if refused is not None and kubeconfig is None:
            raise pulumi.RunError(str(refused))
        super().__init__(
            CONTROL_PLANE_TYPE, name, {"kind": args.kind, "version": args.version}, opts
        )
        self.access = _access(args, kubeconfig)
        self.provider = _provider(f"{name}-kubernetes", self, self.access, identifier)
        self.register_outputs(
            {
                "kind": args.kind,
                "version": args.version,
                **({"kubeconfig": self.access.kubeconfig} if self.access.kubeconfig else {}),
            }
        )


def _access(args: ControlPlaneArgs, kubeconfig: pulumi.Input[str] | None) -> ClusterAccess:
    content = kubeconfig
    if content is None and args.kubeconfig is not None:
        content = args.kubeconfig.get_secret_value()
    if content is not None:
        return ClusterAccess(kubeconfig=pulumi.Output.secret(content), context=args.context)
    if args.kubeconfig_file is not None:
        file = from_project(args.kubeconfig_file)
        return ClusterAccess(kubeconfig_file=file, context=args.context)
    return ClusterAccess(context=args.context)


def _provider(
    name: str, parent: pulumi.Resource, access: ClusterAccess, identifier: str
) -> kubernetes.Provider:
    return kubernetes.Provider(
        name,
        # The provider takes a path as well as the content.
        kubeconfig=access.kubeconfig or access.kubeconfig_file,
        context=access.context,
        cluster_identifier=identifier,
        enable_server_side_apply=True,
        # Otherwise a change of data replaces the object, and what reads it starts over.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )
