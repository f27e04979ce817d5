"""Whatever a file holds, it is answered with findings."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_site import AS_OF, cpu_pool, gpu_pool, raw_site, tenant

from pulumi_gpu_cluster.findings import Finding
from pulumi_gpu_cluster.reading.loading import Loaded, load_stack_file, site_from_config

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["gpu[1-3]", "all-3g.40gb", "580.173.02", "5Gi", "kubeadm", "train", "removed"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "gpu", "version", "train", "guarantee", "secure", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def _whole_site() -> dict[str, Any]:
    """A site with every section present."""
    return raw_site(
        charts={"source": "directory", "path": "charts"},
        gpu_operator={"namespace": "nvidia", "dcgm_exporter": False},
        scheduler={"kind": "volcano", "namespace": "v"},
        node_pools=[
            gpu_pool(mig={"layout": "all-3g.40gb", "strategy": "mixed"}, taints=[{"key": "gpu"}]),
            gpu_pool(
                "scaled", nodes=None, selector={"volcano.sh/nodegroup-name": "b"}, min=1, max=2
            ),
            cpu_pool(labels={"c": "d"}),
        ],
        tenants=[
            tenant(quota={"train": {"mig-3g.40gb": {"guarantee": 1, "ceiling": 2}}, "cpu": 500}),
            tenant("vision", {"scaled": {"gpu": 1, "memory": "1Gi"}, "general": {"cpu": 1}}),
            tenant("old", state="removed", confirm="old"),
        ],
        teardown={"data": "delete", "confirm": "lab"},
        accept=[
            {"rule": "group-shared", "path": "p", "reason": "long enough", "until": "2027-01-01"}
        ],
    )


def _paths(here: object, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children: list[tuple[Any, object]] = []
    if isinstance(here, dict):
        children = list(cast("dict[Any, object]", here).items())
    elif isinstance(here, list):
        children = list(enumerate(cast("list[object]", here)))
    return [before, *(path for key, child in children for path in _paths(child, (*before, key)))]


PLACES = [path for path in _paths(_whole_site()) if path]


def _well_formed(loaded: Loaded) -> None:
    assert loaded.site is not None or loaded.findings
    for finding in loaded.findings:
        assert isinstance(finding, Finding)
        assert finding.path
        assert finding.message
        assert finding.fix
        assert "\n" not in str(finding)
        assert "pydantic" not in str(finding)


def test_the_site_that_is_changed_at_random_is_a_sound_one() -> None:
    loaded = site_from_config(_whole_site(), as_of=AS_OF)
    assert [finding.rule for finding in loaded.findings] == ["accept-unused"]


@settings(max_examples=400)
@given(st.lists(st.tuples(st.sampled_from(PLACES), ANYTHING), min_size=1, max_size=3))
def test_a_site_with_anything_at_any_place_is_judged_and_breaks_nothing(
    changes: list[tuple[tuple[Any, ...], object]],
) -> None:
    site = copy.deepcopy(_whole_site())
    for path, value in changes:
        here: Any = site
        try:
            for step in path[:-1]:
                here = here[step]
            here[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # An earlier change has taken this place away.
    _well_formed(site_from_config(site, as_of=AS_OF, quote=True))


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3))
def test_a_site_with_anything_missing_is_judged_and_breaks_nothing(
    missing: list[tuple[Any, ...]],
) -> None:
    site = copy.deepcopy(_whole_site())
    for path in missing:
        here: Any = site
        try:
            for step in path[:-1]:
                here = here[step]
            del here[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
    _well_formed(site_from_config(site, as_of=AS_OF, quote=True))


_SIGNS = "config: gpu-cluster:site: { } [ ] &a *a <<: ' \" | ? # , % @ !x !!int"
_PIECES = [*_SIGNS.split(" "), "name: a", "- ", "  ", "\n", ": ", "!!float y", "secure: v"]
_YAML = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_YAML.map(str.encode) | st.binary(max_size=60))
def test_a_file_of_anything_is_answered_with_findings(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.yaml"
    path.write_bytes(content)
    _well_formed(load_stack_file(path, as_of=AS_OF))
    path.write_bytes(b"config:\n  gpu-cluster:site:\n    " + content)
    _well_formed(load_stack_file(path, as_of=AS_OF))
