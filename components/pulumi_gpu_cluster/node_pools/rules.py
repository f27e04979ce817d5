"""Design rules of node pools: which nodes they have, and that no node is in two of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pulumi_gpu_cluster.kubernetes_names import SUBDOMAIN_WORDS, is_subdomain
from pulumi_gpu_cluster.node_pools.args import NodePoolArgs
from pulumi_gpu_cluster.rule import ERROR, Case, Fault, Rule, rule
from pulumi_gpu_cluster.wording import listed

_Labels = Mapping[str, str]


@rule(ERROR, waivable=False)
def pool_nodes_or_selector(case: Case) -> Iterator[Fault]:
    """A pool has neither or both of `nodes` and `selector`, or a selector that selects all."""
    for path, pool in case.each_pool():
        if pool.nodes is not None and pool.selector is not None:
            fix = "keep nodes to have us label them, or selector for labels that exist"
            yield Fault(path, "has both nodes and selector", fix)
        elif pool.nodes is None and pool.selector is None:
            fix = "add nodes: gpu[01-12], or selector with the labels that its nodes carry"
            yield Fault(path, "has neither nodes nor selector", fix)
        elif pool.selector is not None and not pool.selector:
            yield Fault(
                f"{path}.selector", "selects every node of the cluster", "name a label of the pool"
            )


@rule(ERROR, waivable=False)
def pool_count(case: Case) -> Iterator[Fault]:
    """The number of a pool's nodes is missing, given twice, or makes no sense."""
    for path, pool in case.each_pool():
        scales = pool.min is not None or pool.max is not None
        if pool.nodes is not None:
            given = [key for key in ("count", "min", "max") if getattr(pool, key) is not None]
            if given:
                message = f"{listed(given)} beside nodes, which says how many there are"
                yield Fault(f"{path}.{given[0]}", message, f"remove {listed(given)}")
        elif pool.count is not None and scales:
            fix = "keep count for a fixed size, or min and max for a pool that scales"
            yield Fault(f"{path}.count", "stands beside min or max", fix)
        elif scales and (pool.min is None or pool.max is None):
            missing = "min" if pool.min is None else "max"
            yield Fault(path, f"scales, and {missing} is missing", f"add {missing}")
        elif pool.min is not None and pool.max is not None and pool.min > pool.max:
            message = f"{pool.min} is more than max {pool.max}"
            yield Fault(f"{path}.min", message, "make min the smaller one")
        elif pool.selector is not None and pool.count is None and not scales:
            fix = "add count, or min and max where it scales: capacity is proven against it"
            yield Fault(path, "has a selector, and nothing says how many nodes there are", fix)


@rule(ERROR, waivable=False)
def node_name_malformed(case: Case) -> Iterator[Fault]:
    """A node's name is none that Kubernetes takes."""
    for path, pool in case.each_pool():
        wrong = [name for name in pool.node_names if not is_subdomain(name)]
        if wrong:
            message = f"{listed(map(repr, wrong))} cannot name nodes: {SUBDOMAIN_WORDS}"
            yield Fault(f"{path}.nodes", message, "write the names that kubectl get nodes shows")


@rule(ERROR, waivable=False)
def node_in_two_pools(case: Case) -> Iterator[Fault]:
    """A node is named in more than one pool."""
    first: dict[str, NodePoolArgs] = {}
    for path, pool in case.each_pool():
        twice: dict[str, list[str]] = defaultdict(list)
        for name in pool.node_names:
            if first.setdefault(name, pool) is not pool:
                twice[first[name].name].append(name)
        for other, names in twice.items():
            message = f"{listed(names)} of pool {pool.name} stand in pool {other} too"
            yield Fault(f"{path}.nodes", message, "leave each node in one pool")


@rule(ERROR)
def selectors_overlap(case: Case) -> Iterator[Fault]:
    """One node could belong to two pools, by their selectors or by labels that we know of."""
    yield from (fault for fault, pools in overlaps(case) if not all(map(_installed, pools)))


@rule(ERROR, waivable=False)
def driver_cr_overlap(case: Case) -> Iterator[Fault]:
    """The GPU Operator would install two pools' drivers on one node, and then stops all drivers."""
    # Apart from other pools, which must not hide two of these: overlaps can be accepted.
    for fault, _ in overlaps(case, _installed):
        message = f"{fault.message}: with two drivers for one node the operator stops all drivers"
        yield fault._replace(message=message)


def overlaps(
    case: Case, concerns: Callable[[NodePoolArgs], bool] = lambda _: True
) -> Iterator[tuple[Fault, tuple[NodePoolArgs, NodePoolArgs]]]:
    """Every selector that is not kept apart from another pool, with the two pools.

    Args:
        case: The site.
        concerns: Which pools are looked at.
    """
    pools = [(path, pool) for path, pool in case.each_pool() if concerns(pool)]
    selected = [(path, pool) for path, pool in pools if pool.selector]
    # Two that are alike or open to each other are found without comparing each with each.
    for (_, one), (path, pool) in _pairs([(item, item[1].selector or {}) for item in selected]):
        fix = "give both selectors one label key with different values"
        message = f"a node can match it and the selector of pool {one.name} too"
        yield Fault(f"{path}.selector", message, fix), (one, pool)
    by_label: dict[tuple[str, str], list[NodePoolArgs]] = defaultdict(list)
    for _, pool in pools:
        if pool.nodes is not None:
            for item in _certain_labels(pool).items():
                by_label[item].append(pool)
            for name in pool.node_names:
                by_label[_HOSTNAME, name].append(pool)
    for path, pool in selected:
        selector = dict(pool.selector or {})
        others = by_label.get(next(iter(selector.items())), ())
        host = selector.pop(_HOSTNAME, None)
        for other in others:
            named = host is None or host in other.node_names
            if named and selector.items() <= _certain_labels(other).items():
                message = f"matches nodes of pool {other.name}, by labels that they have"
                found = Fault(f"{path}.selector", message, "select by another label")
                yield found, (other, pool)


def _installed(pool: NodePoolArgs) -> bool:
    driver = pool.driver
    return pool.gpu is not None and driver is not None and driver.source == "operator"


# What every node of this kind says of itself.
_HOSTNAME: Final = "kubernetes.io/hostname"
_LINUX: Final = {"kubernetes.io/os": "linux"}
_NVIDIA: Final = {"feature.node.kubernetes.io/pci-10de.present": "true"}


def _certain_labels(pool: NodePoolArgs) -> _Labels:
    """The labels that each of the pool's nodes has, as far as the site tells."""
    return {**pool.labels, **_LINUX, **(_NVIDIA if pool.gpu is not None else {})}


_Entry = tuple[tuple[str, NodePoolArgs], _Labels]


def _pairs(
    entries: Sequence[_Entry],
) -> Iterator[tuple[tuple[str, NodePoolArgs], tuple[str, NodePoolArgs]]]:
    """Each selector with the first before it from which no key keeps it apart.

    A key that all of them have splits them by its values, so that a thousand pools told apart
    by one key cost a thousand steps and not half a million.
    """
    if len(entries) < _A_PAIR:
        return
    shared = set(entries[0][1]).intersection(*(labels for _, labels in entries[1:]))
    for key in sorted(shared):
        groups: dict[str, list[_Entry]] = defaultdict(list)
        for entry in entries:
            groups[entry[1][key]].append(entry)
        if len(groups) > 1:
            for group in groups.values():
                yield from _pairs(group)
            return
    for index, (later, labels) in enumerate(entries):
        for earlier, others in entries[:index]:
            if all(others.get(key, text) == text for key, text in labels.items()):
                yield earlier, later
                break


_A_PAIR: Final = 2

RULES: Final[tuple[Rule, ...]] = (
    pool_nodes_or_selector,
    pool_count,
    node_name_malformed,
    node_in_two_pools,
    selectors_overlap,
    driver_cr_overlap,
)
