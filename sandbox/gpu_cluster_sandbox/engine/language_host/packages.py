"""What is installed in a program's Python, for `pulumi about`."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gpu_cluster_sandbox.engine.language_host.toolchain import Python

# Runs in the program's Python, which need not have anything of ours.
_LIST: Final = """
import json, re
from importlib.metadata import distributions
plain = lambda name: re.sub(r"[-_.]+", "-", name).lower()
found = {plain(d.metadata["Name"]): d for d in distributions() if d.metadata["Name"]}
needed = {
    plain(re.match(r"[A-Za-z0-9._-]+", r)[0])
    for d in found.values() for r in d.requires or () if "extra ==" not in r
}
print(json.dumps([[d.metadata["Name"], d.version, name in needed] for name, d in found.items()]))
"""


def installed_packages(python: Python, *, transitive: bool) -> list[tuple[str, str]]:
    """Names and versions, in order of name; without `transitive` only what nothing else needs."""
    answer = subprocess.check_output(
        [python.executable, "-I", "-c", _LIST], env=dict(python.environment)
    )
    return sorted(
        (name, version) for name, version, needed in json.loads(answer) if transitive or not needed
    )
