"""The queues above those of projects. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ....model.quota import Department
from .amounts import milli_of
from .queues import ProjectQueue


def departments_of(found: Mapping[str, ProjectQueue]) -> tuple[Department, ...]:
    """Return the queues above the leaves of projects, by name, with the projects in each."""
    queues = {queue.metadata.name: queue for each in found.values() for queue in each.above}
    inside: dict[str, list[str]] = defaultdict(list)
    for each in found.values():
        if each.above:
            inside[each.above[0].metadata.name].append(each.namespace)
    return tuple(
        Department(
            name=name,
            parent=queue.spec.parent_queue if queue.spec.parent_queue in queues else "",
            projects=tuple(sorted(inside[name])),
            quota=milli_of(queue.spec.resources.gpu.quota),
            limit=milli_of(queue.spec.resources.gpu.limit),
        )
        for name, queue in sorted(queues.items())
    )
