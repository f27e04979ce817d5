"""The resources of a stack, indexed once for all the rules that look at more than one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpu_cluster_policies.resources import Resource


class Stack:
    """All resources that some stack rule reads, by their sort."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._by_sort: dict[str, list[Resource]] = {}
        for one in resources:
            self._by_sort.setdefault(one.sort, []).append(one)

    def of(self, *sorts: str) -> tuple[Resource, ...]:
        """Resources of these sorts, in the order they were registered."""
        return tuple(one for sort in sorts for one in self._by_sort.get(sort, ()))

    def beside(self, resource: Resource, *sorts: str) -> tuple[Resource, ...]:
        """Resources of these sorts that may be in the same cluster as another."""
        return tuple(one for one in self.of(*sorts) if one.beside(resource))

    @property
    def sorts(self) -> Mapping[str, int]:
        """How many resources of each sort there are."""
        return {sort: len(found) for sort, found in self._by_sort.items()}
