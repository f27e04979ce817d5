"""What runs of the BeeGFS driver: one controller, and a plugin on every node that mounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps.v1 import (
    DaemonSet,
    DaemonSetSpecArgs,
    StatefulSet,
    StatefulSetSpecArgs,
)
from pulumi_kubernetes.core.v1 import (
    ContainerArgs,
    EmptyDirVolumeSourceArgs,
    PodSpecArgs,
    PodTemplateSpecArgs,
    VolumeArgs,
)
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, ObjectMetaArgs

from pulumi_gpu_cluster.catalog import versions
from pulumi_gpu_cluster.storage.beegfs.containers import (
    KUBELET,
    PLUGIN_FOLDER,
    driver,
    host_folders,
    sidecar,
)
from pulumi_gpu_cluster.storage.beegfs.placement import Placement

CONTROLLER: Final = "csi-beegfs-controller"
NODE: Final = "csi-beegfs-node"
"""Names of the workloads, and of their service accounts."""

_PRIORITIES: Final = {CONTROLLER: "system-cluster-critical", NODE: "system-node-critical"}
_HEALTH_PORT: Final = 9898
_ONE_WAY: Final = "HostToContainer"


def controller(
    name: str,
    namespace: str,
    *,
    settings: Sequence[VolumeArgs],
    where: Placement,
    opts: pulumi.ResourceOptions,
) -> StatefulSet:
    """Makes and deletes volumes: directories, for which it mounts the file system itself."""
    containers = [
        sidecar(
            "csi-provisioner",
            versions.CSI_PROVISIONER_IMAGE,
            ["--volume-name-uuid-length=8"],
            memory="256Mi",
        ),
        sidecar("csi-resizer", versions.CSI_RESIZER_IMAGE, [], memory="512Mi"),
        driver(
            [f"--cs-data-dir={PLUGIN_FOLDER}", "--node-unstage-timeout=60"],
            [("plugin-dir", PLUGIN_FOLDER, _ONE_WAY)],
            memory="256Mi",
        ),
    ]
    volumes = [
        *host_folders({"plugin-dir": PLUGIN_FOLDER}),
        VolumeArgs(name="socket-dir", empty_dir=EmptyDirVolumeSourceArgs()),
        *settings,
    ]
    return StatefulSet(
        name,
        metadata=ObjectMetaArgs(name=CONTROLLER, namespace=namespace),
        spec=StatefulSetSpecArgs(
            service_name=CONTROLLER,
            replicas=1,
            selector=_selector(CONTROLLER),
            template=_pods(CONTROLLER, containers, volumes, where),
        ),
        opts=opts,
    )


def node_plugin(
    name: str,
    namespace: str,
    *,
    settings: Sequence[VolumeArgs],
    where: Placement,
    opts: pulumi.ResourceOptions,
) -> DaemonSet:
    """Mounts volumes for the pods of its node."""
    registrar = sidecar(
        "node-driver-registrar",
        versions.CSI_REGISTRAR_IMAGE,
        [f"--kubelet-registration-path={PLUGIN_FOLDER}/csi.sock"],
        folder="/registration",
    )
    pods, globally = f"{KUBELET}/pods", f"{KUBELET}/plugins/kubernetes.io/csi"
    containers = [
        registrar,
        driver(
            [],
            [("pods-mount-dir", pods, _ONE_WAY), ("plugins-mount-dir", globally, _ONE_WAY)],
            memory="256Mi",
            health_port=_HEALTH_PORT,
        ),
        sidecar(
            "liveness-probe",
            versions.CSI_LIVENESS_IMAGE,
            [f"--health-port={_HEALTH_PORT}"],
            privileged=False,
        ),
    ]
    volumes = [
        *host_folders(
            {
                "pods-mount-dir": pods,
                "plugins-mount-dir": globally,
                "registration-dir": f"{KUBELET}/plugins_registry",
                "socket-dir": PLUGIN_FOLDER,
            }
        ),
        *settings,
    ]
    return DaemonSet(
        name,
        metadata=ObjectMetaArgs(name=NODE, namespace=namespace),
        spec=DaemonSetSpecArgs(
            selector=_selector(NODE),
            template=_pods(NODE, containers, volumes, where),
        ),
        opts=opts,
    )


def _selector(workload: str) -> LabelSelectorArgs:
    return LabelSelectorArgs(match_labels={"app": workload})


def _pods(
    workload: str,
    containers: Sequence[ContainerArgs],
    volumes: Sequence[VolumeArgs],
    where: Placement,
) -> PodTemplateSpecArgs:
    return PodTemplateSpecArgs(
        metadata=ObjectMetaArgs(labels={"app": workload}),
        spec=PodSpecArgs(
            service_account_name=workload,
            # Only the controller talks to the API server.
            automount_service_account_token=workload == CONTROLLER,
            # The client listens on a port of the host, which the driver has to find free there.
            host_network=True,
            priority_class_name=_PRIORITIES[workload],
            affinity=where.affinity(),
            tolerations=where.toleration_args(),
            containers=list(containers),
            volumes=list(volumes),
        ),
    )
