"""What every part of a cluster needs to take its place in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pulumi

from pulumi_gpu_cluster.control_plane.access import ClusterAccess
from pulumi_gpu_cluster.site import Site


@dataclass(frozen=True, slots=True)
class Composition:
    """A cluster that is being put together. Each concern's `wiring.py` adds its part to it.

    Attributes:
        name: The cluster's name, first part of the names of all its resources.
        site: The whole site file, checked.
        access: How commands reach the cluster.
        parent: The component that holds every part.
        provider: The provider of every object.
        first: Parts that every further one waits for.
    """

    name: str
    site: Site
    access: ClusterAccess
    parent: pulumi.Resource
    provider: pulumi.ProviderResource
    first: tuple[pulumi.Resource, ...] = ()

    def after(self, parts: Sequence[pulumi.Resource]) -> Composition:
        """The same cluster, with parts that everything added from now on waits for."""
        return replace(self, first=(*self.first, *parts))

    def named(self, part: str) -> str:
        """The name of one of its parts."""
        return f"{self.name}-{part}"

    @property
    def image_credentials(self) -> pulumi.Output[str] | None:
        """What the site's image registry is entered by; None where nothing is needed."""
        given = self.site.images.credentials
        return None if given is None else pulumi.Output.secret(given.get_secret_value())

    def inside(self, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of one of its parts.

        Args:
            after: Whole parts that must be there first. What must come first is said between
                parts and not between their children, whose number grows with the site.
        """
        return pulumi.ResourceOptions(
            parent=self.parent, provider=self.provider, depends_on=[*self.first, *after]
        )
