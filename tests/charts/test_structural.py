"""What is kept of a CRD, and what is not."""

from __future__ import annotations

from typing import Any

from gpu_cluster_sandbox.charts.structural import structural_crd


def crd(schema: dict[str, Any], **version: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "things.example.org",
            "creationTimestamp": None,
            "annotations": {
                "api-approved.kubernetes.io": "unapproved",
                "notes.example.org": "a long story",
            },
        },
        "spec": {
            "group": "example.org",
            "scope": "Cluster",
            "names": {"kind": "Thing", "plural": "things"},
            "conversion": {"strategy": "Webhook"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    **version,
                }
            ],
        },
        "status": {"conditions": []},
    }


def kept(schema: dict[str, Any]) -> dict[str, Any]:
    result = structural_crd(crd(schema))
    stripped: dict[str, Any] = result["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return stripped


def test_prose_goes_and_validation_stays_at_every_depth() -> None:
    words: dict[str, Any] = {
        "description": "words",
        "title": "words",
        "example": "words",
        "externalDocs": {},
    }
    leaf = {"type": "string", "pattern": "^a$", "maxLength": 3, "default": "a"}
    assert kept(
        {
            **words,
            "type": "object",
            "required": ["a"],
            "properties": {
                "a": {**words, **leaf},
                "b": {**words, "type": "array", "items": {**words, **leaf}},
                "c": {**words, "type": "object", "additionalProperties": {**words, **leaf}},
                "d": {**words, "anyOf": [{**words, "type": "integer"}, {"not": {**words}}]},
            },
        }
    ) == {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": leaf,
            "b": {"type": "array", "items": leaf},
            "c": {"type": "object", "additionalProperties": leaf},
            "d": {"anyOf": [{"type": "integer"}, {"not": {}}]},
        },
    }


def test_a_property_called_description_is_a_property() -> None:
    schema = {"type": "object", "properties": {"description": {"type": "string"}}}
    assert kept(schema) == schema


def test_a_rule_keeps_its_expression_and_loses_its_message() -> None:
    rule = {"rule": "self == oldSelf", "reason": "FieldValueInvalid", "fieldPath": ".a"}
    words = {"message": "words", "messageExpression": "'words'"}
    assert kept({"x-kubernetes-validations": [{**rule, **words}]}) == {
        "x-kubernetes-validations": [rule]
    }


def test_of_the_annotations_only_the_one_that_an_api_server_asks_for_stays() -> None:
    metadata = structural_crd(crd({"type": "object"}))["metadata"]
    assert metadata == {
        "name": "things.example.org",
        "annotations": {"api-approved.kubernetes.io": "unapproved"},
    }


def test_conversion_by_a_webhook_that_nobody_serves_is_left_out() -> None:
    assert set(structural_crd(crd({"type": "object"}))["spec"]) == {
        "group",
        "names",
        "scope",
        "versions",
    }


def test_a_version_keeps_its_columns_without_their_descriptions() -> None:
    column = {"name": "State", "type": "string", "jsonPath": ".status.state"}
    document = crd(
        {"type": "object"},
        additionalPrinterColumns=[{**column, "description": "words"}],
        deprecationWarning="words",
        deprecated=True,
        subresources={"status": {}},
    )
    version = structural_crd(document)["spec"]["versions"][0]
    assert version["additionalPrinterColumns"] == [column]
    assert version["subresources"] == {"status": {}}
    assert version["deprecated"] is True
    assert "deprecationWarning" not in version
