"""Where images of the GPU nodes' software come from: upstream, or the site's own registry."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, SecretStr

from pulumi_gpu_cluster.secret import Given
from pulumi_gpu_cluster.section import IMAGE_REGISTRY, DnsLabel, Section

PULLED_BY: Final = "gpu-cluster-images"
"""The Secret, in each namespace that needs it, with what the registry is entered by."""


class ImagesArgs(Section):
    """The registry for images of the GPU Operator, everything it runs, and Node Feature Discovery.

    Other charts' images come from where their charts say; a mirror for those belongs into the
    container runtime's configuration, which pods need not know of.
    """

    registry: Annotated[str, Field(pattern=IMAGE_REGISTRY)] | None = None
    """Takes the place of each image's own registry (nvcr.io, registry.k8s.io); the rest of its
    name stays: with registry.lab.example/mirror the driver is
    registry.lab.example/mirror/nvidia/driver."""

    credentials: Annotated[
        SecretStr | None,
        Given("the registry's credentials, as the text of a Docker config.json", needed=False),
    ] = None
    """What the registry is entered by, as the text of a Docker config.json: `pulumi config set
    --secret --path gpu-cluster:site.images.credentials`. It becomes a pull secret where it is
    needed."""

    pull_secrets: tuple[DnsLabel, ...] = ()
    """Pull secrets that somebody else puts into the namespaces of these operators."""

    def place(self, repository: str) -> str:
        """A repository, in this site's registry if it has one.

        Args:
            repository: Registry and path: nvcr.io/nvidia/cloud-native.
        """
        path = repository.partition("/")[2]
        return repository if self.registry is None else f"{self.registry}/{path}"

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The pull secrets that pods name."""
        own = (PULLED_BY,) if self.credentials is not None else ()
        return (*own, *self.pull_secrets)
