"""CRDs are found where Helm finds them, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_charts import NAME, crd, manifest, packed, unpacked

from pulumi_gpu_cluster.operations.crds.archive import crds_in_archive, crds_in_folder
from pulumi_gpu_cluster.operations.crds.errors import ChartError

OTHER = "others.example.org"
FILES = {
    "Chart.yaml": "name: chart\n",
    "templates/crd.yaml": manifest(crd("templated.example.org")),
    "crds/things.yaml": manifest(crd(), {"kind": "Namespace", "metadata": {"name": "x"}}),
    "crds/README.md": "kind: CustomResourceDefinition",
    "charts/inner/crds/deep/others.yaml": manifest(crd(OTHER)),
}


def test_a_packed_chart_and_its_folder_have_the_same_crds(tmp_path: Path) -> None:
    folder = unpacked(tmp_path, FILES)
    for subchart, name in (("", NAME), ("inner", OTHER)):
        found = crds_in_archive(packed(FILES), subchart)
        assert list(found) == [name]
        assert crds_in_folder(folder, subchart) == found


def test_a_bundled_chart_may_be_packed_itself() -> None:
    inner = packed({"crds/others.yaml": manifest(crd(OTHER))}, folder="inner")
    chart = packed({"charts/inner-1.2.0.tgz": inner, "charts/inner-extra-1.tgz": b""})
    assert list(crds_in_archive(chart, "inner")) == [OTHER]


def test_a_chart_that_is_not_bundled_has_no_crds() -> None:
    assert not crds_in_archive(packed(FILES), "missing")


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", packed(FILES)[:90]])
def test_what_is_no_archive_is_told(content: bytes) -> None:
    with pytest.raises(ChartError, match="is no archive"):
        crds_in_archive(content, "")


def test_a_file_that_is_no_yaml_is_told_by_its_name() -> None:
    with pytest.raises(ChartError, match=r"crds/bad\.yaml of the chart is no YAML"):
        crds_in_archive(packed({"crds/bad.yaml": "a: [b"}), "")
