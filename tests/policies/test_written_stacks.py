"""Stacks written by hand, without our components: their faults, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import others
import planted
import pytest
import realistic
from judged_graph import findings

from gpu_cluster_policies import RULES


@pytest.fixture(autouse=True)
def _kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kubeconfig").write_text("{}")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))


def test_thirty_planted_faults_are_exactly_what_is_found() -> None:
    told = findings(planted.make, planted.CONFIG)
    assert Counter(rule for rule, _ in told) == Counter(planted.FAULTS), told
    assert len(told) == 30
    assert planted.SECRET not in str(told)


def test_every_other_rule_fires_once_where_its_fault_is_planted() -> None:
    told = findings(others.make, others.CONFIG)
    assert Counter(rule for rule, _ in told) == Counter(others.FAULTS), told


def test_both_stacks_together_have_a_fault_for_every_rule() -> None:
    assert sorted((*planted.FAULTS, *others.FAULTS)) == sorted(rule.id for rule in RULES)


def test_ten_stacks_as_people_write_them_give_no_cause() -> None:
    assert findings(realistic.make, realistic.CONFIG) == []
