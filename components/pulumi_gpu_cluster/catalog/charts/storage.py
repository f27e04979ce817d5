"""Charts of storage."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: rook/rook tag v1.20.6, deploy/charts/rook-ceph (templates/resources.yaml, which marks
# them as to be kept whatever the values say; the csi.ceph.io ones among the templates of the
# bundled ceph-csi-operator 1.0.4)
ROOK_CEPH: Final = Chart(
    name="rook-ceph",
    repository="https://charts.rook.io/release",
    version=versions.ROOK,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES_SWITCH,
            (
                "cephblockpoolradosnamespaces.ceph.rook.io",
                "cephblockpools.ceph.rook.io",
                "cephbucketnotifications.ceph.rook.io",
                "cephbuckettopics.ceph.rook.io",
                "cephclients.ceph.rook.io",
                "cephclusters.ceph.rook.io",
                "cephcosidrivers.ceph.rook.io",
                "cephfilesystemmirrors.ceph.rook.io",
                "cephfilesystems.ceph.rook.io",
                "cephfilesystemsubvolumegroups.ceph.rook.io",
                "cephnfses.ceph.rook.io",
                "cephnvmeofgateways.ceph.rook.io",
                "cephobjectrealms.ceph.rook.io",
                "cephobjectstoreaccounts.ceph.rook.io",
                "cephobjectstores.ceph.rook.io",
                "cephobjectstoreusers.ceph.rook.io",
                "cephobjectzonegroups.ceph.rook.io",
                "cephobjectzones.ceph.rook.io",
                "cephrbdmirrors.ceph.rook.io",
                "objectbucketclaims.objectbucket.io",
                "objectbuckets.objectbucket.io",
            ),
            switch="crds.enabled",
        ),
        CrdSet(
            CrdDelivery.TEMPLATES,
            (
                "cephconnections.csi.ceph.io",
                "clientprofilemappings.csi.ceph.io",
                "clientprofiles.csi.ceph.io",
                "drivers.csi.ceph.io",
                "operatorconfigs.csi.ceph.io",
            ),
            subchart="ceph-csi-operator",
        ),
    ),
)

# source: rook/rook tag v1.20.6, Documentation/Helm-Charts/csi-drivers-chart.md
CEPH_CSI_DRIVERS: Final = Chart(
    name="ceph-csi-drivers",
    repository="https://ceph.github.io/ceph-csi-operator",
    version=versions.CEPH_CSI_DRIVERS,
)
