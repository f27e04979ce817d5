from __future__ import annotations

import ast
import re
from pathlib import Path


def test_the_table_of_behaviours_has_a_row_for_every_test_and_no_other(root: Path) -> None:
    folder = root / "tests" / "sandbox"
    tests = {
        node.name
        for part in ("provider", "stand_in")
        for node in ast.parse((folder / f"test_engine_command_{part}.py").read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    text = (root / "docs" / "command-stand-in.md").read_text()
    rows = re.findall(r"^\| .* \| `(test_\w+)` \|$", text, re.MULTILINE)
    assert sorted(rows) == sorted(tests)
