"""What the whole cluster registers about itself, so that policies can judge the rest of it."""

from __future__ import annotations

from typing import Final

GPU_CLUSTER_TYPE: Final = "gpu-cluster:cluster:GpuCluster"
"""Type token of the component; lives in users' state, so it never changes."""

DATA: Final = "data"
"""Output that says what becomes of the site's data when the stack goes."""

EXPENDABLE: Final = "expendable"
"""Its value where the site allows that its data goes: nothing in it is protected then."""

KEPT: Final = "kept"
"""Its value everywhere else."""
