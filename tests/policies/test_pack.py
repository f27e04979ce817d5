"""The pack as a whole."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from policy_stack import CONTEXT
from pulumi.runtime.proto import analyzer_pb2 as proto

import gpu_cluster_policies
from gpu_cluster_policies import FAMILIES, RULES, catalogue
from gpu_cluster_policies.analyzer import PACK, VERSION, Analyzer
from gpu_cluster_policies.rule import ResourceRule, StackRule
from gpu_cluster_policies.settings import SHARED, SHARED_SETTINGS

FOLDER = Path(gpu_cluster_policies.__file__).parent


def test_every_rule_that_is_written_is_in_the_pack() -> None:
    written = {
        match
        for path in FOLDER.glob("*/*.py")
        for match in re.findall(
            r"^([A-Z_]+): Final = (?:Resource|Stack)Rule\(", path.read_text(), re.MULTILINE
        )
    }
    made = {rule.id.replace("-", "_").upper() for rule in RULES}
    assert made == written, "a rule's constant has the name of its id"
    assert len(made) == len(RULES), "no two rules have one name"


def test_every_rule_is_seen_to_fire_and_to_stay_silent_in_a_test_of_its_own(root: Path) -> None:
    tested = "".join(path.read_text() for path in (root / "tests/policies").glob("test_*.py"))
    for rule in RULES:
        assert rule.id.replace("-", "_").upper() in tested, rule.id


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_all_of_itself(rule: ResourceRule | StackRule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
    assert rule.description.endswith("."), "one sentence"
    assert rule.why.endswith(".")
    assert not rule.mend.endswith("."), "it stands at the end of a message"
    assert rule.tags[0] in FAMILIES
    assert rule in FAMILIES[rule.tags[0]][1]
    for name, schema in rule.schema.items():
        jsonschema.Draft7Validator.check_schema(schema)
        assert schema["description"], name
        assert name not in SHARED_SETTINGS or schema == SHARED_SETTINGS[name], "written once"


def test_rules_need_neither_the_network_nor_a_clock_nor_the_engine() -> None:
    for path in FOLDER.glob("*/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [one.name for one in node.names]
                module = getattr(node, "module", None) or names[0]
                assert module.split(".")[0] not in {"pulumi", "socket", "requests", "grpc"}, path


def test_the_pack_runs_in_the_checkouts_own_environment(root: Path) -> None:
    project = yaml.safe_load((root / "policies/PulumiPolicy.yaml").read_text())
    options = project["runtime"]["options"]
    assert (root / "policies" / options["virtualenv"]).resolve() == (root / ".venv").resolve()
    assert project["version"] == VERSION


def test_the_engine_is_told_of_every_rule_with_its_settings() -> None:
    info = Analyzer(RULES).GetAnalyzerInfo(Empty(), CONTEXT)
    assert info.name == PACK
    told = {policy.name: policy for policy in info.policies}
    assert set(told) == {SHARED, *(rule.id for rule in RULES)}
    for rule in RULES:
        schema = MessageToDict(told[rule.id].configSchema)["properties"]
        assert set(schema) == set(rule.schema)
        assert told[rule.id].remediation_steps == rule.mend


def test_the_page_and_the_sets_are_what_the_rules_say(root: Path) -> None:
    again = "run python -m gpu_cluster_policies.catalogue ."
    assert (root / "docs/policies.md").read_text(encoding="utf-8") == catalogue.page(), again
    on_disk = {path.name: path.read_text() for path in (root / "policies/sets").iterdir()}
    assert on_disk == dict(catalogue.sets()), again


def test_the_example_on_the_page_is_one_that_the_engine_takes(root: Path) -> None:
    text = (root / "docs/policies.md").read_text(encoding="utf-8")
    example = json.loads(text.split("```json")[1].split("```")[0])
    schemas = {SHARED: dict(SHARED_SETTINGS), **{rule.id: rule.schema for rule in RULES}}
    assert example.pop("all") == "mandatory"
    for name, given in example.items():
        settings = {} if isinstance(given, str) else dict(given)
        settings.pop("enforcementLevel", None)
        for setting, value in settings.items():
            jsonschema.validate(value, schemas[name][setting])


def test_a_rule_that_is_turned_off_says_nothing_and_the_settings_of_all_reach_each() -> None:
    analyzer = Analyzer(RULES)
    off = {rule.id: proto.PolicyConfig(enforcementLevel=proto.DISABLED) for rule in RULES}
    analyzer.Configure(proto.ConfigureAnalyzerRequest(policyConfig=off), CONTEXT)
    one = proto.AnalyzerResource(type="kubernetes:core/v1:Namespace", urn="urn:a::b::c::d")
    one.properties.update({"metadata": {"labels": {"gpu-cluster.io/tenant": "d"}, "name": "d"}})
    request = proto.AnalyzeStackRequest(resources=[one])
    assert not analyzer.AnalyzeStack(request, CONTEXT).diagnostics
