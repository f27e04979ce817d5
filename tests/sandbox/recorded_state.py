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

from gpu_cluster_sandbox.engine import ensure_engine
from gpu_cluster_sandbox.stack.pulumi_command import PulumiCommand
from gpu_cluster_sandbox.stack.workspace import Workspace

STATES = Path(__file__).parent / "states"
_STATE = "@STATE@"
_KUBECONFIG = "@KUBECONFIG@"


def versions() -> list[str]:
    """The releases whose state was recorded."""
    return sorted(path.name.removesuffix(".json.xz") for path in STATES.glob("*.json.xz"))


def load(version: str, state: Path) -> str:
    """A recorded deployment, as if it had been made in this workspace.

    Args:
        version: The release.
        state: The workspace's folder.
    """
    text = lzma.decompress((STATES / f"{version}.json.xz").read_bytes()).decode()
    kubeconfig = (state / "kubeconfig").read_text()
    return _swapped(text, {_STATE: str(state), _KUBECONFIG: kubeconfig})


def save(version: str, state: Path, deployment: str) -> None:
    """Records a deployment that was exported with its secrets shown."""
    kubeconfig = (state / "kubeconfig").read_text()
    text = _swapped(deployment, {kubeconfig: _KUBECONFIG, str(state): _STATE})
    if "client-key-data" in text:
        raise ValueError("the kubeconfig is still in the recorded state")
    STATES.mkdir(exist_ok=True)
    (STATES / f"{version}.json.xz").write_bytes(lzma.compress(text.encode()))


def _swapped(document: str, words: Mapping[str, str]) -> str:
    return json.dumps(_swap(json.loads(document), words), sort_keys=True)


def _swap(value: object, words: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        return {key: _swap_member(key, inner, words) for key, inner in value.items()}
    if isinstance(value, list):
        return [_swap(inner, words) for inner in value]
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
