"""States of released versions, recorded once and previewed by every later program.

`python tests/sandbox/recorded_state.py VERSION` records the state of the sandbox that `make up`
brought up. What belongs to one machine is replaced by marks: the folder and the kubeconfig.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from gpu_cluster_sandbox.engine import ensure_engine
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand
from gpu_cluster_sandbox.stack.workspace import Workspace

STATES = Path(__file__).parent / "states"
# Where in whose files a resource was made, and the key of one stack.
_OF_ONE_MACHINE = frozenset({"secrets_providers", "sourcePosition", "stackTrace"})
_STATE = "@STATE@"
_KUBECONFIG = "@KUBECONFIG@"


def versions() -> list[str]:
    """The releases whose state was recorded."""
    return sorted(path.name.removesuffix(".json.xz") for path in STATES.glob("*.json.xz"))


def load(version: str, state: Path, now: str) -> str:
    """A recorded deployment, as if it had been made in this workspace.

    Args:
        version: The release.
        state: The workspace's folder.
        now: The workspace's own deployment, whose keys it takes.
    """
    text = lzma.decompress((STATES / f"{version}.json.xz").read_bytes()).decode()
    document = json.loads(_swapped(text, {_STATE: str(state), _KUBECONFIG: _kubeconfig(state)}))
    document["deployment"]["secrets_providers"] = json.loads(now)["deployment"]["secrets_providers"]
    return json.dumps(document)


def save(version: str, state: Path, deployment: str) -> None:
    """Records a deployment that was exported with its secrets shown."""
    text = _swapped(deployment, {_kubeconfig(state): _KUBECONFIG, str(state): _STATE})
    if "client-key-data" in text:
        raise ValueError("the kubeconfig is still in the recorded state")
    STATES.mkdir(exist_ok=True)
    (STATES / f"{version}.json.xz").write_bytes(lzma.compress(text.encode()))


def _kubeconfig(state: Path) -> str:
    # `pulumi config set` drops the last line's end.
    return (state / "kubeconfig").read_text().rstrip("\n")


def _swapped(document: str, words: Mapping[str, str]) -> str:
    return json.dumps(_swap(json.loads(document), words), sort_keys=True)


def _swap(value: object, words: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {
            key: _swap_member(key, inner, words)
            for key, inner in members.items()
            if key not in _OF_ONE_MACHINE
        }
    if isinstance(value, list):
        return [_swap(inner, words) for inner in cast("list[object]", value)]
    if isinstance(value, str):
        for old, new in words.items():
            value = value.replace(old, new)
    return value


def _swap_member(key: str, value: object, words: Mapping[str, str]) -> object:
    # A secret that is shown is JSON inside JSON.
    if key == "plaintext" and isinstance(value, str):
        return _swapped(value, words)
    return _swap(value, words)


def _main(version: str) -> None:
    workspace = Workspace.of("sandbox")
    pulumi = PulumiCommand(workspace, ensure_engine("auto", print))
    save(version, workspace.state, pulumi.exported(show_secrets=True))


if __name__ == "__main__":
    _main(sys.argv[1])
