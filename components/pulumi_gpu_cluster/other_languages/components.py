"""Components whose inputs the component analyzer can read.

    from pulumi.provider.experimental import component_provider_host
    from pulumi_gpu_cluster.other_languages.components import COMPONENTS

    component_provider_host(name="gpu-cluster", components=COMPONENTS)

They take one mapping and are otherwise the components of their names: same children, same type
tokens. A mapping is held to its model; the design rules of a whole site need a whole site.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

import pulumi

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.node_pools import component as node_pools
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.other_languages.inputs import inputs_of, optional, raw_section, typed
from pulumi_gpu_cluster.reading.shape import validated
from pulumi_gpu_cluster.section import Section
from pulumi_gpu_cluster.tenancy import component as tenancy
from pulumi_gpu_cluster.tenancy.args import TenantArgs

_Text: TypeAlias = pulumi.Input[str]

_Component = TypeVar("_Component", bound=type[pulumi.ComponentResource])
_Section = TypeVar("_Section", bound=Section)


def _takes(name: str, **fields: object) -> Callable[[_Component], _Component]:
    """Says to the analyzer, which reads annotations, what a component's `args` are."""

    def told(component: _Component) -> _Component:
        annotations: dict[str, Any] = component.__init__.__annotations__
        annotations["args"] = typed(name, fields)
        return component

    return told


def _checked(section: type[_Section], inputs: Mapping[str, Any], key: str) -> _Section:
    """The section, out of the mapping under a key.

    Raises:
        pulumi.RunError: The mapping does not fit; all that is wrong is in the message.
    """
    made, found = validated(section, raw_section(section, inputs[key]), quote=True)
    if made is None:
        faults = [f"{one.path}: {one.message}; fix: {one.fix}" for one in found]
        raise pulumi.RunError("\n".join(f"{key}{fault.removeprefix('site')}" for fault in faults))
    return made


@_takes(
    "TenantComponentInputs",
    tenant=inputs_of(TenantArgs),
    ceilings=Mapping[str, _Text],
)
class Tenant(tenancy.Tenant):
    """A team's place in the cluster: namespace, rights, quota, limits and network policy."""

    def __init__(
        self, name: str, args: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Makes the namespace and everything in it.

        Args:
            name: Name of the component.
            args: `tenant`, as an entry of the site file; `ceilings`, the hard limits of its
                ResourceQuota, as requests.nvidia.com/gpu: "8".
            opts: Options of the component, with the Kubernetes provider.
        """
        section = _checked(TenantArgs, args, "tenant")
        super().__init__(name, section, ceilings=args["ceilings"], opts=opts)


@_takes(
    "NodePoolComponentInputs",
    pool=inputs_of(NodePoolArgs),
    kubeconfig=optional(_Text),
)
class NodePool(node_pools.NodePool):
    """Nodes that are alike, with our labels and taints on them."""

    def __init__(
        self, name: str, args: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Labels and taints the pool's nodes.

        Args:
            name: Name of the component.
            args: `pool`, as an entry of the site file; `kubeconfig`, its content, for the
                command that writes taints.
            opts: Options of the component, with the Kubernetes provider.
        """
        section = _checked(NodePoolArgs, args, "pool")
        given = args.get("kubeconfig")
        access = ClusterAccess(None if given is None else pulumi.Output.secret(given))
        super().__init__(name, section, access=access, opts=opts)


COMPONENTS: Final[list[type[pulumi.ComponentResource]]] = [NodePool, Tenant]
"""Every component that other languages can be given."""
