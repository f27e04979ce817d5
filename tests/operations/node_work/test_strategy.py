"""Another MIG strategy, and nodes that cannot take it."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from api_stub import Clock, api_server
from gate_cluster import gpu_pod

from pulumi_gpu_cluster.operations.node_work.strategy import against_strategy


def node(name: str, **offers: int) -> dict[str, Any]:
    labels = {"nvidia.com/mig.strategy": "mixed", "nvidia.com/mig.config": "all-balanced"}
    allocatable = {f"nvidia.com/mig-{key}": str(count) for key, count in offers.items()}
    return {"metadata": {"name": name, "labels": labels}, "status": {"allocatable": allocatable}}


def found(strategy: str, *nodes: dict[str, Any], busy: str = "") -> str:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/api/v1/nodes":
            assert (
                request.url.params["labelSelector"]
                == "gpu-cluster.io/pool=serve,nvidia.com/mig.strategy"
            )
            return httpx2.Response(200, json={"items": list(nodes)})
        name = request.url.params["fieldSelector"].partition("=")[2]
        return httpx2.Response(200, json={"items": [gpu_pod("job")] if name == busy else []})

    return against_strategy(api_server(answer, Clock()), "serve", strategy)


def test_nodes_with_several_profiles_do_not_take_the_single_strategy() -> None:
    several = node("mig2", **{"1g.10gb": 16, "2g.20gb": 8, "3g.40gb": 0})
    said = found("single", several, node("mig1", **{"3g.40gb": 16}))
    assert said.startswith("mig2 have instances of several profiles")
    assert "give them a layout of one profile" in said


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_pods_would_lose_the_name_of_what_they_hold(strategy: str) -> None:
    one = node("mig1", **{"3g.40gb": 16})
    one["metadata"]["labels"]["nvidia.com/mig.strategy"] = "of before"
    assert found(strategy, one, busy="mig1").startswith("ml/job on mig1 would lose the name")
    assert found(strategy, one) == ""


def test_nodes_that_have_the_strategy_already_or_are_whole_are_left_out() -> None:
    several = node("mig2", **{"1g.10gb": 16, "2g.20gb": 8})
    assert found("mixed", several, busy="mig2") == ""
    several["metadata"]["labels"]["nvidia.com/mig.config"] = "all-disabled"
    assert found("single", several, busy="mig2") == ""
