"""Values of the network-operator chart."""

from __future__ import annotations

from typing import Any


def operator_values(*, sriov: bool) -> dict[str, Any]:
    """What differs from the chart's own values.

    Args:
        sriov: Whether some pool's ports are split into virtual functions. The agents that do it
            tolerate every taint already.
    """
    return {
        # One stands there before either operator, for both; the rule that labels NVIDIA's
        # adapters is this chart's own and stays.
        "nfd": {"enabled": False, "deployNodeFeatureRules": True},
        "sriovNetworkOperator": {"enabled": sriov},
        # Many nodes take more than the chart's limit of 128Mi, and it would start anew for ever.
        "operator": {
            "resources": {
                "requests": {"cpu": "50m", "memory": "128Mi"},
                "limits": {"cpu": "500m", "memory": "1Gi"},
            }
        },
    }
