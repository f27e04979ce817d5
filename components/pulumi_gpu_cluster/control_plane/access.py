"""How programs of ours get at the API server: the kubeconfig, wherever it lies."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """What a command needs to reach the cluster; all empty means the ambient kubeconfig.

    Attributes:
        kubeconfig: The kubeconfig's content, a secret.
        kubeconfig_file: Its path, where the content stays out of the state.
        context: The context to use; None for its current one.
    """

    kubeconfig: pulumi.Output[str] | None = None
    kubeconfig_file: str | None = None
    context: str | None = None
