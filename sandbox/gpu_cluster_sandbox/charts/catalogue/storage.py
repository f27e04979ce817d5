"""Stand-ins of storage."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from gpu_cluster_sandbox.charts.catalogue.stand_in import Source, StandIn, Workload

STORAGE: Final[Mapping[str, StandIn]] = MappingProxyType(
    {
        "rook-ceph": StandIn(
            source=Source("charts/rook-ceph", "crds/rook"),
            unpublished="0.0.1",
            workloads=(
                Workload('"rook-ceph-operator"', placing=""),
                Workload(
                    '"ceph-csi-controller-manager"',
                    placing="controllerManager",
                    bundled="ceph-csi-operator",
                ),
            ),
            bundled=(Source(None, "crds/rook-bundled-csi-operator", name="ceph-csi-operator"),),
        ),
        # Harvested are the values that Rook recommends, since those of the chart itself are not
        # in the folder; the paths below are those of its templates (ceph/ceph-csi-operator v1.0.4).
        "ceph-csi-drivers": StandIn(
            source=Source("charts/ceph-csi-drivers"),
            workloads=(),
            also_known=tuple(
                f"drivers.{kind}.{key}"
                for kind in ("rbd", "cephfs")
                for key in ("controllerPlugin", "imageSet", "nodePlugin", "snapshotPolicy")
            ),
        ),
    }
)
"""By the chart's name."""
