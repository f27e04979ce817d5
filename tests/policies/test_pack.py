"""The pack as a whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import yaml
from policy_stack import judged, resource

import gpu_cluster_policies
from gpu_cluster_policies import RULES


def test_every_module_that_has_a_rule_is_in_the_pack() -> None:
    folder = Path(gpu_cluster_policies.__file__).parent
    on_disk = {
        path.stem.replace("_", "-")
        for path in folder.glob("*.py")
        if "\nID: Final = " in path.read_text(encoding="utf-8")
    }
    assert {rule.id for rule in RULES} == on_disk


def test_the_pack_runs_in_the_checkouts_own_environment(root: Path) -> None:
    options = yaml.safe_load((root / "policies/PulumiPolicy.yaml").read_text())["runtime"][
        "options"
    ]
    assert (root / "policies" / options["virtualenv"]).resolve() == (root / ".venv").resolve()


def test_a_thousand_tenants_and_their_quotas_are_judged_in_a_second() -> None:
    stack = [
        resource(
            f"kubernetes:core/v1:{kind}",
            f"{kind}-{number}",
            {
                "metadata": {
                    "name": f"t{number}",
                    "namespace": f"t{number}",
                    "labels": {"gpu-cluster.io/tenant": f"t{number}"},
                },
                "spec": {"hard": {"requests.nvidia.com/gpu": "1"}},
            },
            cluster="site",
        )
        for number in range(1000)
        for kind in ("Namespace", "ResourceQuota")
    ]
    started = time.perf_counter()
    for rule in RULES:
        assert judged(rule, stack, {"gpuResources": ["nvidia.com/gpu"]}) == ([], "")
    assert time.perf_counter() - started < 1.0


def test_what_is_documented_is_what_there_is(root: Path) -> None:
    text = (root / "docs/policies.md").read_text(encoding="utf-8")
    example = json.loads(text.split("```json")[1].split("```")[0])
    settings = {rule.id: sorted(rule.settings) for rule in RULES}
    assert {rule: sorted(names) for rule, names in example.items()} == settings
    for rule in RULES:
        assert f"| `{rule.id}` |" in text
        for name, schema in rule.settings.items():
            assert f"- `{name}`: " in text
            jsonschema.validate(example[rule.id][name], schema)
