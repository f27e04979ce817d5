"""What the components inside a cluster share: a provider that somebody chose, and children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

_ANY_KUBERNETES_TYPE = "kubernetes:core/v1:Namespace"


class KubernetesComponent(pulumi.ComponentResource):
    """A component whose children are objects in one Kubernetes cluster.

    The provider is never left to chance: the ambient one would put everything into whatever
    cluster the current context happens to name.
    """

    def __init__(
        self,
        token: str,
        name: str,
        props: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None,
    ) -> None:
        super().__init__(token, name, dict(props), opts)
        if self.get_provider(_ANY_KUBERNETES_TYPE) is None:
            raise pulumi.RunError(
                f"{name} ({token}) was given no Kubernetes provider; "
                "pass opts=pulumi.ResourceOptions(provider=...)"
            )

    def child(self, *, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of a child, which takes its provider from the component.

        Args:
            after: What must be there before the child is made, and go after it.
        """
        return pulumi.ResourceOptions(parent=self, depends_on=list(after))
