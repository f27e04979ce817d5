"""GPUs by name, and what each needs of its driver."""

from __future__ import annotations

import re

import pytest

from pulumi_gpu_cluster.catalog.drivers import architectures
from pulumi_gpu_cluster.catalog.gpus import GPUS
from pulumi_gpu_cluster.catalog.mig import boards
from pulumi_gpu_cluster.kubernetes_names import is_label_value


def test_every_board_with_mig_belongs_to_a_gpu_that_people_can_name() -> None:
    assert {model.mig_board for model in GPUS.values()} - {None} == set(boards())


@pytest.mark.parametrize("name", sorted(GPUS))
def test_a_model_is_whole(name: str) -> None:
    model = GPUS[name]
    assert model.architecture in architectures()
    assert is_label_value(model.gfd_product)
    assert re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)*", name), "names are words joined by dashes"
    assert name.endswith(f"-{model.memory_gb}GB")


def test_no_two_models_look_alike_to_gpu_feature_discovery() -> None:
    products = [model.gfd_product for model in GPUS.values()]
    assert len(products) == len(set(products))


@pytest.mark.parametrize(
    ("name", "plain", "with_mig", "module"),
    [
        ("H100-SXM5-80GB", "525", "525.85.12", "any"),
        ("H20-SXM-96GB", "525", "535.161.07", "any"),
        ("GH200-96GB", "525", "525.85.12", "open"),
        ("B200-SXM-180GB", "570", "570.133.20", "open"),
        ("GB300-278GB", "580", "595.58.03", "open"),
        ("RTX-PRO-6000-96GB", "575.57.08", "580", "open"),
        ("V100-SXM2-32GB", None, None, "proprietary"),
        ("T4-16GB", None, None, "any"),
    ],
)
def test_a_model_knows_its_oldest_drivers_and_its_kernel_module(
    name: str, plain: str | None, with_mig: str | None, module: str
) -> None:
    model = GPUS[name]
    assert (model.oldest_driver, model.oldest_mig_driver, model.kernel_module) == (
        plain,
        with_mig,
        module,
    )
