"""Findings as other programs read them: SARIF for annotations, JUnit for test reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from pulumi_gpu_cluster.findings import Finding, Severity
from pulumi_gpu_cluster.reading.places import Places

Found = Mapping[Path, Sequence[Finding]]
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NAME: Final = "gpu-cluster"


def sarif(found: Found) -> str:
    """The findings as SARIF 2.1.0, each with its line in the file.

    Args:
        found: Findings by file.
    """
    every = [one for findings in found.values() for one in findings]
    rules = [{"id": rule} for rule in sorted({one.rule for one in every})]
    driver = {"name": _NAME, "version": metadata.version("pulumi-gpu-cluster"), "rules": rules}
    results = [
        _result(file, places, one)
        for file, findings in found.items()
        for places in (Places(file),)
        for one in findings
    ]
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(file: Path, places: Places, finding: Finding) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(file.as_posix())},
        "region": {"startLine": places.line_of(finding.path)},
    }
    return {
        "ruleId": finding.rule,
        "level": finding.severity.value,
        "message": {"text": _text(finding)},
        "locations": [{"physicalLocation": place}],
    }


def junit(found: Found, *, strict: bool) -> str:
    """The findings as JUnit XML: a suite for each file, a case for each finding.

    Args:
        found: Findings by file.
        strict: Whether warnings are failures too; otherwise they are cases that were skipped.
    """
    root = ET.Element("testsuites", name=_NAME)
    for file, findings in found.items():
        failed = [one for one in findings if strict or one.severity is Severity.ERROR]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=file.as_posix(),
            tests=str(max(len(findings), 1)),
            failures=str(len(failed)),
            skipped=str(len(findings) - len(failed)),
        )
        if not findings:
            ET.SubElement(suite, "testcase", classname=file.stem, name="check")
        _cases(suite, file, findings, failed)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _cases(
    suite: ET.Element, file: Path, findings: Iterable[Finding], failed: Sequence[Finding]
) -> None:
    places = Places(file)
    for finding in findings:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"{file.stem}.{finding.rule}",
            name=finding.path,
            file=file.as_posix(),
            line=str(places.line_of(finding.path)),
        )
        told = "failure" if finding in failed else "skipped"
        ET.SubElement(case, told, message=_text(finding))


def _text(finding: Finding) -> str:
    return f"{finding.path}: {finding.message}; fix: {finding.fix}"
