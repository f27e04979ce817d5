"""Charts of the batch schedulers."""

from __future__ import annotations

from typing import Final

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.catalog.charts.chart import Chart, CrdDelivery, CrdSet

# source: kubernetes-sigs/kueue tag v0.19.2, charts/kueue/templates/crd
KUEUE: Final = Chart(
    name="kueue",
    repository="oci://registry.k8s.io/kueue/charts",
    version=versions.KUEUE,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES,
            (
                "admissionchecks.kueue.x-k8s.io",
                "clusterqueues.kueue.x-k8s.io",
                "cohorts.kueue.x-k8s.io",
                "localqueues.kueue.x-k8s.io",
                "multikueueclusters.kueue.x-k8s.io",
                "multikueueconfigs.kueue.x-k8s.io",
                "provisioningrequestconfigs.kueue.x-k8s.io",
                "resourceflavors.kueue.x-k8s.io",
                "topologies.kueue.x-k8s.io",
                "workloadpriorityclasses.kueue.x-k8s.io",
                "workloads.kueue.x-k8s.io",
            ),
        ),
    ),
)

# source: volcano-sh/volcano tag v1.15.1, installer/helm/chart/volcano (CRDs among the templates;
# the two flow.volcano.sh ones in the bundled jobflow chart)
VOLCANO: Final = Chart(
    name="volcano",
    repository="https://volcano-sh.github.io/helm-charts",
    version=versions.VOLCANO,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES,
            (
                "colocationconfigurations.config.volcano.sh",
                "commands.bus.volcano.sh",
                "cronjobs.batch.volcano.sh",
                "hypernodes.topology.volcano.sh",
                "jobs.batch.volcano.sh",
                "nodeshards.shard.volcano.sh",
                "numatopologies.nodeinfo.volcano.sh",
                "podgroups.scheduling.volcano.sh",
                "queues.scheduling.volcano.sh",
            ),
        ),
        CrdSet(
            CrdDelivery.TEMPLATES,
            ("jobflows.flow.volcano.sh", "jobtemplates.flow.volcano.sh"),
            subchart="jobflow",
        ),
    ),
)

# source: kubernetes-sigs/jobset tag v0.12.0, charts/jobset (crds/)
JOBSET: Final = Chart(
    name="jobset",
    repository="oci://registry.k8s.io/jobset/charts",
    version=versions.JOBSET,
    crds=(CrdSet(CrdDelivery.CRDS_FOLDER, ("jobsets.jobset.x-k8s.io",)),),
)

# source: kubeflow/trainer tag v2.3.0, charts/kubeflow-trainer (templates/crd). The charts that it
# bundles, jobset and lws, are always off, and so are their CRDs.
TRAINER: Final = Chart(
    name="kubeflow-trainer",
    repository="oci://ghcr.io/kubeflow/charts",
    version=versions.TRAINER,
    crds=(
        CrdSet(
            CrdDelivery.TEMPLATES_SWITCH,
            (
                "clustertrainingruntimes.trainer.kubeflow.org",
                "trainingruntimes.trainer.kubeflow.org",
                "trainjobs.trainer.kubeflow.org",
            ),
            switch="crds.enabled",
        ),
    ),
)
