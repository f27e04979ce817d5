"""Charts of Slurm, of its accounting database, and of the certificates their webhooks need."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: cert-manager/cert-manager tag v1.21.1, deploy/charts/cert-manager, deploy/crds
CERT_MANAGER: Final = Chart(
    name="cert-manager",
    repository="https://charts.jetstack.io",
    version=versions.CERT_MANAGER,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES_SWITCH,
            (
                "certificaterequests.cert-manager.io",
                "certificates.cert-manager.io",
                "challenges.acme.cert-manager.io",
                "clusterissuers.cert-manager.io",
                "issuers.cert-manager.io",
                "orders.acme.cert-manager.io",
            ),
            switch="crds.enabled",
            keep_switch="crds.keep",
        ),
    ),
)

# source: SlinkyProject/slurm-operator tag v1.2.1, helm/slurm-operator-crds/templates
SLURM_OPERATOR_CRDS: Final = Chart(
    name="slurm-operator-crds",
    repository="oci://ghcr.io/slinkyproject/charts",
    version=versions.SLURM_OPERATOR,
    crds=(
        CrdSet(
            CrdDelivery.OWN_CHART,
            (
                "accountings.slinky.slurm.net",
                "controllers.slinky.slurm.net",
                "loginsets.slinky.slurm.net",
                "nodesets.slinky.slurm.net",
                "restapis.slinky.slurm.net",
                "tokens.slinky.slurm.net",
            ),
        ),
    ),
)

# source: SlinkyProject/slurm-operator tag v1.2.1, helm/slurm-operator (it can bundle the CRDs,
# and does not by default)
SLURM_OPERATOR: Final = Chart(
    name="slurm-operator",
    repository="oci://ghcr.io/slinkyproject/charts",
    version=versions.SLURM_OPERATOR,
    crds_chart=SLURM_OPERATOR_CRDS,
)

# source: mariadb-operator/mariadb-operator tag v26.6.0, deploy/charts/mariadb-operator-crds. It
# brings a dozen kinds; the one named here is the one this package makes an object of.
MARIADB_OPERATOR_CRDS: Final = Chart(
    name="mariadb-operator-crds",
    repository="oci://ghcr.io/mariadb-operator/charts",
    version=versions.MARIADB_OPERATOR,
    crds=(CrdSet(CrdDelivery.OWN_CHART, ("mariadbs.k8s.mariadb.com",)),),
)

# source: mariadb-operator/mariadb-operator tag v26.6.0, deploy/charts/mariadb-operator
# (it can bundle the CRDs, and does not by default)
MARIADB_OPERATOR: Final = Chart(
    name="mariadb-operator",
    repository="oci://ghcr.io/mariadb-operator/charts",
    version=versions.MARIADB_OPERATOR,
    crds_chart=MARIADB_OPERATOR_CRDS,
)
