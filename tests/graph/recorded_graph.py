"""What a program registers, recorded as the engine would see it, without an engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pulumi
from google.protobuf import empty_pb2, json_format
from pulumi.runtime import mocks, rpc, settings

# How the engine's protocol marks a value as secret.
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a mark, not a secret
_STACK = "pulumi:pulumi:Stack"


@dataclass(frozen=True)
class Registered:
    """One resource as it was registered.

    Attributes:
        urn: Its URN, with the types of all its ancestors, as the engine makes it.
        type: Its type token.
        name: Its name.
        props: Its inputs, secrets opened.
        wire: Its inputs as they went over the wire, secrets marked.
        parent: URN of its parent; empty below the stack.
        dependencies: URNs of what it was told to wait for.
        provider: URN of its provider; empty for a component and where none was named.
        protect: Whether the engine refuses to delete it.
        retain: Whether it outlives its deletion from the state.
        custom: Whether it is a resource of a provider and no component.
    """

    urn: str
    type: str
    name: str
    props: Mapping[str, Any]
    wire: Mapping[str, Any]
    parent: str
    dependencies: frozenset[str]
    provider: str
    protect: bool
    retain: bool
    custom: bool


@dataclass
class Graph:
    """Everything that was registered, in order.

    Attributes:
        resources: The resources.
        outputs: Outputs of components by URN, one entry for each time they were registered.
    """

    resources: list[Registered] = field(default_factory=list[Registered])
    outputs: list[tuple[str, Mapping[str, Any]]] = field(
        default_factory=list[tuple[str, Mapping[str, Any]]]
    )

    def of(self, type_token: str) -> list[Registered]:
        """All resources of a type."""
        return [resource for resource in self.resources if resource.type == type_token]

    def named(self, name: str, type_token: str) -> Registered:
        """The resource of that name and type."""
        found = [one for one in self.of(type_token) if one.name == name]
        assert len(found) == 1, f"{type_token} {name}: {sorted(map(str, self.names()))}"
        return found[0]

    def names(self) -> set[tuple[str, str]]:
        """Type and name of everything."""
        return {(resource.type, resource.name) for resource in self.resources}

    def by_urn(self, urn: str) -> Registered:
        """The resource of that URN."""
        return next(resource for resource in self.resources if resource.urn == urn)

    def waits_for(self, later: Registered, earlier: Registered) -> bool:
        """Whether `later`, or a component around it, was told to wait for `earlier`."""
        urns: set[str] = set()
        place: Registered | None = later
        while place is not None:
            urns |= place.dependencies
            place = self.by_urn(place.parent) if place.parent else None
        seen: set[str] = set()
        while urns - seen:
            urn = (urns - seen).pop()
            seen.add(urn)
            if urn == earlier.urn:
                return True
            urns |= self.by_urn(urn).dependencies
        return False


def _said(command: str) -> dict[str, str]:
    """What a command of ours prints that the program reads."""
    words = command.split()
    if words[:2] != ["gpu-cluster", "node"] or words[2] not in ("gate", "drivers"):
        return {}
    told = {"state": "passed", "reason": "driver 580.173.02", "attempt": 0}
    return {"stdout": json.dumps(told)}


class _Echo(mocks.Mocks):
    """Gives every resource its inputs back."""

    def __init__(self, last_outputs: Mapping[str, Any]) -> None:
        self._last_outputs = last_outputs

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        inputs: dict[Any, Any] = args.inputs  # pyright: ignore[reportUnknownVariableType]
        return f"{args.name}-id", {**inputs, **_said(str(inputs.get("create", "")))}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], Any]:
        assert args.token == "pulumi:pulumi:readStackOutputs", args.token  # noqa: S105
        return {"outputs": dict(self._last_outputs)}, []


class _Monitor(mocks.MockMonitor):
    """Records what the stock monitor throws away."""

    def __init__(self, echo: _Echo, graph: Graph) -> None:
        super().__init__(echo)
        self._graph = graph

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        above = parent.split("::")[2] if parent else ""
        chain = f"{above}${type_}" if above and above != _STACK else type_
        return f"urn:pulumi:test::gpu-cluster::{chain}::{name}"

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        register: Callable[[Any], Any] = super().RegisterResource  # pyright: ignore[reportUnknownVariableType]
        response = register(request)
        if request.type != _STACK:
            parent = "" if f"::{_STACK}::" in request.parent else request.parent
            self._graph.resources.append(
                Registered(
                    urn=response.urn,
                    type=request.type,
                    name=request.name,
                    props=rpc.deserialize_properties(request.object),
                    wire=json_format.MessageToDict(request.object),
                    parent=parent,
                    dependencies=frozenset(request.dependencies),
                    provider=request.provider.rpartition("::")[0],
                    protect=request.protect,
                    retain=request.retainOnDelete,
                    custom=request.custom,
                )
            )
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        if f"::{_STACK}::" not in request.urn:
            outputs = rpc.deserialize_properties(request.outputs)
            self._graph.outputs.append((request.urn, outputs))
        return empty_pb2.Empty()


def record(program: Callable[[], object], last_outputs: Mapping[str, Any] | None = None) -> Graph:
    """Runs a program to its end and returns what it registered.

    Args:
        program: Makes resources.
        last_outputs: What the stack's last run left.
    """
    graph = Graph()
    echo = _Echo(last_outputs or {})
    mocks.set_mocks(
        echo, project="gpu-cluster", stack="test", preview=False, monitor=_Monitor(echo, graph)
    )

    # The stock mocks leave nonsense here.
    here = str(Path.cwd())
    settings.SETTINGS.root_directory = here  # pyright: ignore[reportAttributeAccessIssue]

    def run() -> None:
        program()

    # Returns only when every registration has landed.
    run_to_the_end = cast("Callable[[Callable[[], None]], Callable[[], None]]", pulumi.runtime.test)
    run_to_the_end(run)()
    return graph


def is_secret(value: object) -> bool:
    """Whether a value from the wire is marked as secret."""
    return isinstance(value, dict) and cast("dict[str, Any]", value).get(_SIGNATURE) == _SECRET


def plain_texts(value: object) -> Iterator[str]:
    """Every text in a value from the wire that is not below a secret mark, keys included."""
    if is_secret(value):
        return
    if isinstance(value, Mapping):
        for key, child in cast("Mapping[str, object]", value).items():
            yield key
            yield from plain_texts(child)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for child in cast("Sequence[object]", value):
            yield from plain_texts(child)
