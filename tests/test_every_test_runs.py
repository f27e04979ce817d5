"""A test that nobody runs is worse than none: it looks like proof."""

from __future__ import annotations

import ast
from pathlib import Path


def test_every_test_function_lies_in_a_file_that_pytest_collects(root: Path) -> None:
    hidden = [
        f"{path.relative_to(root)}:{node.lineno} {node.name}"
        for path in sorted((root / "tests").rglob("*.py"))
        if not path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert not hidden, f"never collected: {hidden}"


def test_no_two_tests_of_a_file_share_a_name(root: Path) -> None:
    shadowed: list[str] = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        names = [
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        shadowed += [f"{path.name} {name}" for name in set(names) if names.count(name) > 1]
    assert not shadowed, f"only the last of these runs: {shadowed}"
