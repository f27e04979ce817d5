"""Every version this package installs, pinned in this one place, each with its source."""

from __future__ import annotations

from typing import Final

# source: NVIDIA/gpu-operator tag v26.7.0 (published chart version keeps the "v")
GPU_OPERATOR: Final = "v26.7.0"

# source: kubernetes-sigs/kueue tag v0.19.2, chart published without the "v"
KUEUE: Final = "0.19.2"

# source: volcano-sh/volcano tag v1.15.1, chart published without the "v"
VOLCANO: Final = "1.15.1"

# source: NVIDIA/gpu-operator v26.7.0, supported platforms; Kubernetes releases page
KUBERNETES_MINORS: Final = ("1.35", "1.36")
