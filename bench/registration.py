"""Our program and a bare one that registers the same resources, each in a process of its own.

Run as `python -m bench.registration ours|bare|list NODES TENANTS`. The engine is a mock that
answers at once, so what is measured is the program and nothing else; with a real engine, whose
own work per resource comes on top, the ratio is smaller.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pulumi
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks

from bench.sites import site

# Groups with a dot that the SDK has classes of its own for; what else has one is a custom resource.
_BUILT_IN = ("admissionregistration", "rbac", "networking", "helm")


class Recorder(Mocks):
    """An engine that accepts everything and remembers it."""

    def __init__(self) -> None:
        self.resources: list[dict[str, Any]] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        """Takes a resource as it came."""
        self.resources.append({"type": args.typ, "name": args.name, "inputs": args.inputs})
        return f"{args.name}-id", args.inputs

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        """Answers every function with nothing."""
        return {}, None


def record(nodes: int, tenants: int, *, taints: bool = False) -> list[dict[str, Any]]:
    """What our program registers for a site, in order."""
    from pulumi_gpu_cluster import GpuCluster, Site  # noqa: PLC0415

    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder)

    def program() -> None:
        GpuCluster("bench", Site.model_validate(site(nodes, tenants, taints=taints)))

    _run(program)
    return recorder.resources


def replay(resources: list[dict[str, Any]]) -> int:
    """Registers recorded resources with the SDK's own classes and nothing around them."""
    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder)

    def program() -> None:
        for resource in resources:
            _construct(resource["type"], resource["name"], resource["inputs"])

    _run(program)
    return len(recorder.resources)


def _run(program: Callable[[], None]) -> None:
    """Runs a program to the end of its last registration."""
    to_the_end = cast("Callable[[Callable[[], None]], Callable[[], None]]", pulumi.runtime.test)
    to_the_end(program)()


def _construct(token: str, name: str, inputs: Mapping[str, Any]) -> None:
    if token.startswith("gpu-cluster:"):
        pulumi.ComponentResource(token, name, dict(inputs))
        return
    if token == "command:local:Command":
        from pulumi_command import local  # noqa: PLC0415

        local.Command(name, **_keywords(inputs))
        return
    import pulumi_kubernetes as kubernetes  # noqa: PLC0415

    if token == "pulumi:providers:kubernetes":
        kubernetes.Provider(name, **_keywords(inputs))
        return
    group, kind = token.removeprefix("kubernetes:").split(":")
    module: Any = kubernetes
    if "." in group and not group.startswith(_BUILT_IN):
        kubernetes.apiextensions.CustomResource(
            name,
            api_version=inputs["apiVersion"],
            kind=inputs["kind"],
            metadata=inputs["metadata"],
            spec=inputs.get("spec"),
        )
        return
    for part in group.replace(".k8s.io", "").replace(".sh", "").split("/"):
        module = getattr(module, part.split(".")[0])
    keywords = {k: v for k, v in _keywords(inputs).items() if k not in {"api_version", "kind"}}
    getattr(module, kind)(name, **keywords)


def _keywords(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_snake(inputs))


def _snake(inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in inputs.items():
        yield re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower(), value


def main(mode: str, nodes: int, tenants: int, path: str) -> None:
    """Runs one of the two programs, or writes down what ours registers."""
    if mode == "bare":
        with open(path, encoding="utf-8") as text:  # noqa: PTH123 - nothing is imported for it
            replay(json.load(text))
        return
    resources = record(nodes, tenants)
    if mode == "list":
        with open(path, "w", encoding="utf-8") as text:  # noqa: PTH123
            json.dump(resources, text)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
