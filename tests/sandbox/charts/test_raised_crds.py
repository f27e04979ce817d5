"""CRDs that Helm installs once and leaves, upgraded out of the chart before its release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from bare_cluster import JOB_SET, BareCluster, Json
from click.testing import CliRunner
from helm_releases import Releases
from made_site import gpu_pool, raw_site, stack_text

from gpu_cluster_sandbox.cluster import Cluster
from gpu_cluster_sandbox.engine import Engine
from pulumi_gpu_cluster.cli.crds import command

NAME = "jobsets.jobset.x-k8s.io"
FIELD = "ttlSecondsAfterFinished"


def _crd_of(folder: Path) -> Path:
    (found,) = (folder / "charts" / "jobset" / "crds").glob("*.yaml")
    return found


def _fields(crd: Any) -> dict[str, Any]:
    version = next(one for one in crd["spec"]["versions"] if one["name"] == "v1alpha2")
    fields: dict[str, Any] = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    properties: dict[str, Any] = fields["properties"]
    return properties


def _job_set(name: str) -> Json:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {FIELD: 60},
    }


@pytest.fixture
def raised(
    engine: Engine, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A site file, in a cluster whose JobSet is of a chart that lacks a field of the new one."""
    releases = Releases.in_folder(tmp_path, engine, cluster.kubeconfig)
    file = _crd_of(tmp_path)
    new = file.read_text("utf-8")
    old = yaml.safe_load(new)
    del _fields(old)[FIELD]
    file.write_text(yaml.safe_dump(old), "utf-8")
    installed = releases.up({"jobset": {}})
    assert installed.code == 0, installed.output
    file.write_text(new, "utf-8")
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    site = raw_site(
        node_pools=[gpu_pool()],
        scheduler={"kind": "kueue", "jobset": True},
        charts={"source": "directory", "path": "charts"},
    )
    stack = tmp_path / "Pulumi.raised.yaml"
    stack.write_text(stack_text(site))
    return stack


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return "\n".join(line for line in done.output.splitlines() if line.startswith("jobset "))


def test_a_new_field_of_a_chart_that_was_raised_is_known_once_its_crds_were_brought_up(
    raised: Path, bare: BareCluster
) -> None:
    bare.create(JOB_SET, _job_set("before"))
    assert FIELD not in bare.get(JOB_SET, "before", "default")["spec"], "the old schema drops it"
    uid = bare.get("CustomResourceDefinition", NAME)["metadata"]["uid"]

    assert _run(str(raised), "--dry-run").endswith(f"{NAME} would be upgraded")
    assert FIELD not in _fields(bare.get("CustomResourceDefinition", NAME))
    assert _run(str(raised)).endswith(f"{NAME} upgraded")
    assert _run(str(raised)).endswith(f"{NAME} unchanged")

    bare.create(JOB_SET, _job_set("after"))
    assert bare.get(JOB_SET, "after", "default")["spec"][FIELD] == 60
    assert bare.get(JOB_SET, "before", "default"), "no object goes with an upgrade"
    assert bare.get("CustomResourceDefinition", NAME)["metadata"]["uid"] == uid, "it is the same"
    for name in ("before", "after"):
        bare.delete(JOB_SET, name, "default")
