"""Our program and a bare one that registers the same resources, each in a process of its own.

Run as `python -m bench.registration ours|bare|list NODES TENANTS FILE`. The engine is a mock that
answers at once, so what is measured is the program and nothing else; with a real engine, whose
own work per resource comes on top, the ratio is smaller.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pulumi
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks, rpc
from pulumi.runtime.mocks import MockMonitor

from bench.sites import site

# Groups with a dot that the SDK has classes of its own for; what else has one is a custom resource.
_BUILT_IN = ("admissionregistration", "rbac", "networking", "helm")

_PROGRAM = "infra/__main__.py"
_STACK = "pulumi:pulumi:Stack"
_PASSED = json.dumps({"node": "one", "state": "passed", "reason": "", "attempt": 0})


class Engine(Mocks):
    """An engine that accepts everything; commands of the gate tell what they would of a node."""

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        """Takes a resource as it came."""
        return f"{args.name}-id", {**args.inputs, "stdout": _PASSED}

    def call(self, args: MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        """Answers every function with nothing."""
        return {}, []


class Recorder(MockMonitor):
    """Remembers what is registered: inputs, place, provider and what comes first."""

    def __init__(self) -> None:
        super().__init__(Engine())
        self.registered: list[dict[str, Any]] = []

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        """Takes a resource as it came."""
        register: Callable[[Any], Any] = super().RegisterResource
        response = register(request)
        if request.type != _STACK:
            self.registered.append(
                {
                    "urn": response.urn,
                    "type": request.type,
                    "name": request.name,
                    "inputs": rpc.deserialize_properties(request.object),
                    "parent": "" if f"::{_STACK}::" in request.parent else request.parent,
                    "provider": request.provider.rpartition("::")[0],
                    "after": sorted(request.dependencies),
                    "protect": request.protect,
                    "retain": request.retainOnDelete,
                }
            )
        return response


def record(nodes: int, tenants: int, *, taints: bool = False) -> list[dict[str, Any]]:
    """What our program registers for a site, in order."""
    return _recorded(lambda: ours(nodes, tenants, taints=taints))


def ours(nodes: int, tenants: int, *, taints: bool = False) -> None:
    """The program of every site, with a site for its configuration."""
    written = json.dumps(site(nodes, tenants, taints=taints))
    pulumi.runtime.set_all_config({"gpu-cluster:site": written})
    runpy.run_path(_PROGRAM, run_name="__main__")


def bare(resources: list[dict[str, Any]]) -> None:
    """Registers recorded resources with the SDK's own classes and nothing around them."""
    made: dict[str, pulumi.Resource] = {}
    for resource in resources:
        opts = pulumi.ResourceOptions(
            parent=made.get(resource["parent"]),
            provider=cast("pulumi.ProviderResource | None", made.get(resource["provider"])),
            depends_on=[made[urn] for urn in resource["after"]],
            protect=resource["protect"],
            retain_on_delete=resource["retain"],
        )
        made[resource["urn"]] = _construct(
            resource["type"], resource["name"], resource["inputs"], opts
        )


def _recorded(program: Callable[[], None]) -> list[dict[str, Any]]:
    recorder = Recorder()
    _run(program, recorder)
    return recorder.registered


def _run(program: Callable[[], None], monitor: MockMonitor | None = None) -> None:
    """Runs a program to the end of its last registration."""
    pulumi.runtime.set_mocks(Engine(), monitor=monitor)
    to_the_end = cast("Callable[[Callable[[], None]], Callable[[], None]]", pulumi.runtime.test)
    to_the_end(program)()


def _construct(
    token: str, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.Resource:
    if token.startswith("gpu-cluster:"):
        return pulumi.ComponentResource(token, name, dict(inputs), opts)
    if token == "command:local:Command":
        from pulumi_command import local  # noqa: PLC0415

        return local.Command(name, **_keywords(inputs), opts=opts)
    import pulumi_kubernetes as kubernetes  # noqa: PLC0415

    if token == "pulumi:providers:kubernetes":
        # The wire has a provider's truth values as texts.
        switches = {"true": True, "false": False}
        given = {key: switches.get(value, value) for key, value in inputs.items()}
        return kubernetes.Provider(name, **_keywords(given), opts=opts)
    group, kind = token.removeprefix("kubernetes:").split(":")
    module: Any = kubernetes
    if "." in group and not group.startswith(_BUILT_IN):
        return kubernetes.apiextensions.CustomResource(
            name,
            api_version=inputs["apiVersion"],
            kind=inputs["kind"],
            metadata=inputs["metadata"],
            spec=inputs.get("spec"),
            opts=opts,
        )
    for part in group.replace(".k8s.io", "").replace(".sh", "").split("/"):
        module = getattr(module, part.split(".")[0])
    keywords = {k: v for k, v in _keywords(inputs).items() if k not in {"api_version", "kind"}}
    constructor: Callable[..., pulumi.Resource] = getattr(module, kind)
    return constructor(name, **keywords, opts=opts)


def _keywords(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_snake(inputs))


def _snake(inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in inputs.items():
        yield re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower(), value


def _differences(resources: list[dict[str, Any]]) -> list[str]:
    """What the bare program registers otherwise."""
    found = {one["urn"]: one for one in _recorded(lambda: bare(resources))}
    wanted = {one["urn"]: one for one in resources}
    return [
        f"{urn}: {found.get(urn)}, and ours is {wanted.get(urn)}"
        for urn in sorted({*wanted, *found})
        if wanted.get(urn) != found.get(urn)
    ]


def main(mode: str, nodes: int, tenants: int, path: str) -> None:
    """Runs one of the two programs, or writes down what ours registers and compares them."""
    if mode == "ours":
        _run(lambda: ours(nodes, tenants))
    elif mode == "bare":
        with open(path, encoding="utf-8") as text:  # noqa: PTH123 - nothing is imported for it
            resources = json.load(text)
        _run(lambda: bare(resources))
    else:
        resources = record(nodes, tenants)
        with open(path, "w", encoding="utf-8") as text:  # noqa: PTH123
            json.dump(resources, text)
        sys.exit("\n".join(_differences(resources)) or None)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
