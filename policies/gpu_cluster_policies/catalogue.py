"""The rules' page and the sets of enforcement levels, made from the rules themselves.

`python -m gpu_cluster_policies.catalogue .` writes docs/policies.md and policies/sets/*.json of a
checkout anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from gpu_cluster_policies import FAMILIES, RULES
from gpu_cluster_policies.rule import EXEMPT_SETTING, ResourceRule, Rule
from gpu_cluster_policies.settings import SHARED, SHARED_SETTINGS

_INTRODUCTION: Final = """\
# Policies

<!-- Made by `python -m gpu_cluster_policies.catalogue .` from the rules: edit those. -->

`pulumi preview --policy-pack policies` (or `up`) judges whole stacks, whoever wrote their
resources: the rules also catch what is added by hand beside the components. They read the values
of Helm releases as well as rendered objects.

What one resource shows is judged before it is made or changed, and stops the update too. What
takes several resources is judged after the last step, in the preview first. What a preview cannot
know yet is told as advice and judged by the update. Where nothing tells a rule what it needs, it
says `cannot judge` and names the setting that would let it: that counts as a violation.

## Sets

| set | how | what stops a run |
|---|---|---|
| recommended | as it is, or `--policy-pack-config policies/sets/recommended.json` | rules of \
high and critical severity; the others give advice |
| strict | `--policy-pack-config policies/sets/strict.json` | every rule |
| audit | `--policy-pack-config policies/sets/audit.json` | none: everything is told |

A file of your own says the same and more: `"all"` is the level of every rule, and each rule can
have its own, `mandatory`, `advisory` or `disabled`:

```json
{
  "all": "mandatory",
  "gpu-cluster": {
    "tenantSelector": {"team": "*"},
    "pools": {
      "serve": {"nodes": 4, "gpu": "A100-SXM4-80GB", "resources": {"nvidia.com/gpu": 8}}
    }
  },
  "release-without-version": "disabled",
  "host-path": {
    "enforcementLevel": "advisory",
    "exempt": [{"resource": "node-tuning", "reason": "tunes the kernel; reviewed 2026-11"}]
  }
}
```
"""
_ENDING: Final = """\
## In a pack of your own

In its `__main__.py`, with the package `gpu-cluster-policies` installed:

```python
from gpu_cluster_policies import RULES
from gpu_cluster_policies.analyzer import serve

serve([rule for rule in RULES if "security" in rule.tags])
```
"""


def page() -> str:
    """The whole of docs/policies.md."""
    parts = [
        _INTRODUCTION,
        _settings(
            f"## Shared settings\n\nUnder `{SHARED}`; a rule's own setting of the same name wins.",
            SHARED_SETTINGS,
        ),
        _settings("Every rule takes:", EXEMPT_SETTING),
        "## Rules\n",
        *_tables(),
    ]
    for title, rules in FAMILIES.values():
        parts += [f"## {title}\n", *(_rule(rule) for rule in rules)]
    return "\n".join([*parts, _ENDING])


def _tables() -> Iterator[str]:
    yield "| rule | severity | asked | what it demands |\n|---|---|---|---|"
    for rule in RULES:
        asked = "resource" if isinstance(rule, ResourceRule) else "stack"
        link = f"[`{rule.id}`](#{rule.id})"
        yield f"| {link} | {rule.severity.value} | {asked} | {rule.description} |"
    yield ""


def _rule(rule: Rule) -> str:
    lines = [
        f"### {rule.id}",
        "",
        rule.description,
        "",
        f"- Why: {rule.why}",
        f"- Mend: {rule.mend}.",
        f"- Severity: {rule.severity.value}, so {rule.level.value} by default.",
        f"- Tags: {', '.join(rule.tags)}.",
        f"- Reads: {', '.join(f'`{sort}`' for sort in sorted(rule.reads))}.",
    ]
    own = [name for name in rule.settings if name not in SHARED_SETTINGS]
    shared = [name for name in rule.settings if name in SHARED_SETTINGS]
    lines += [f"- Setting `{name}`: {rule.settings[name]['description']}" for name in own]
    if shared:
        lines.append(f"- Shared settings: {', '.join(f'`{name}`' for name in shared)}.")
    return "\n".join([*lines, ""])


def _settings(title: str, settings: Mapping[str, dict[str, Any]]) -> str:
    listed = [f"- `{name}`: {schema['description']}" for name, schema in settings.items()]
    return "\n".join([title, "", *listed, ""])


def sets() -> Mapping[str, str]:
    """The files of policies/sets, by name."""
    levels = {
        "strict": {"all": "mandatory"},
        "recommended": {rule.id: rule.level.value for rule in RULES},
        "audit": {"all": "advisory"},
    }
    return {f"{name}.json": json.dumps(told, indent=2) + "\n" for name, told in levels.items()}


def write(root: Path) -> None:
    """Writes page and sets of a checkout anew."""
    (root / "docs" / "policies.md").write_text(page(), encoding="utf-8")
    for name, content in sets().items():
        (root / "policies" / "sets" / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
