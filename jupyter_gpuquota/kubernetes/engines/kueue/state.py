"""Everything that Kueue's objects say about GPUs, at one moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...quantities import Quantity
from ..surroundings import GpuResources
from .objects import (
    ClusterQueue,
    Cohort,
    LocalQueue,
    ResourceGroup,
    ResourceLimit,
    Workload,
    WorkloadPriorityClass,
    condition,
    holds_true,
)
from .quota_tree import Key, Member, QuotaTree, cohort, queue, tree_of


@dataclass(frozen=True)
class KueueState:
    """Kueue's objects, and the names of the resources that count GPUs."""

    local_queues: tuple[LocalQueue, ...] = ()
    cluster_queues: tuple[ClusterQueue, ...] = ()
    cohorts: tuple[Cohort, ...] = ()
    workloads: tuple[Workload, ...] = ()
    priority_classes: tuple[WorkloadPriorityClass, ...] = ()
    gpus: GpuResources = field(default_factory=GpuResources)

    @cached_property
    def by_name(self) -> Mapping[str, ClusterQueue]:
        """The ClusterQueues with a quota of GPUs, by name."""
        return {
            each.metadata.name: each
            for each in self.cluster_queues
            if any(self._limits(each.spec.resource_groups))
        }

    @cached_property
    def flavors(self) -> tuple[str, ...]:
        """The flavors that GPUs have a quota of, sorted."""
        owners: tuple[ClusterQueue | Cohort, ...] = (*self.cluster_queues, *self.cohorts)
        found = {name for each in owners for name, _ in self._limits(each.spec.resource_groups)}
        return tuple(sorted(found))

    @cached_property
    def trees(self) -> Mapping[str, QuotaTree]:
        """The tree of quotas of each flavor."""
        used = self._used()
        return {name: tree_of(self._members(name), used[name]) for name in self.flavors}

    @cached_property
    def priorities(self) -> Mapping[str, int]:
        """The values of the priority classes, by name."""
        return {each.metadata.name: each.value for each in self.priority_classes}

    @cached_property
    def by_uid(self) -> Mapping[str, Workload]:
        """The workloads, by uid."""
        return {each.metadata.uid: each for each in self.workloads}

    @cached_property
    def by_owner(self) -> Mapping[tuple[str, str], Workload]:
        """The newest workload of each object, by namespace and name of that."""
        return {
            (each.metadata.namespace, each.owner_name): each
            for each in sorted(self.workloads, key=lambda w: str(w.metadata.creation_timestamp))
        }

    @cached_property
    def leaving(self) -> tuple[Workload, ...]:
        """The workloads that are being preempted and still hold their quota."""
        return tuple(
            w
            for w in self.workloads
            if holds_quota(w) and holds_true(w.status.conditions, "Preempted")
        )

    def flavors_of(self, name: str) -> tuple[str, ...]:
        """Return the flavors in which a ClusterQueue gives GPUs, in its order."""
        groups = self.by_name[name].spec.resource_groups
        return tuple(dict.fromkeys(flavor for flavor, _ in self._limits(groups)))

    def holders(self) -> Iterator[Workload]:
        """Iterate over the workloads that hold quota of GPUs."""
        return (w for w in self.workloads if holds_quota(w) and self.amount(w))

    @cached_property
    def queued(self) -> Mapping[tuple[str, str], Sequence[Workload]]:
        """The queued workloads of each LocalQueue, in the order in which Kueue tries them.

        That is by priority, then by the time of creation or of the last eviction.
        """
        found: dict[tuple[str, str], list[Workload]] = defaultdict(list)
        for each in sorted(filter(is_queued, self.workloads), key=turn):
            found[each.metadata.namespace, each.spec.queue_name].append(each)
        return found

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of each queued workload in its LocalQueue, from 1, by uid."""
        return {
            each.metadata.uid: place
            for queued in self.queued.values()
            for place, each in enumerate(queued, 1)
        }

    def amount(self, workload: Workload) -> int:
        """Return what a workload holds or requests, in milli-GPU."""
        status = workload.status
        if status.admission:
            parts = (part.resource_usage for part in status.admission.pod_set_assignments)
        elif status.resource_requests:
            parts = (part.resources for part in status.resource_requests)
        else:  # not looked at yet: untransformed
            return sum(
                p.count * self.gpus.requested(p.template.spec) for p in workload.spec.pod_sets
            )
        return sum(self.gpus.counted(part) for part in parts)

    def _limits_of(self, owner: ClusterQueue | Cohort, flavor: str) -> Iterator[ResourceLimit]:
        """Iterate over the quotas of GPUs that an object sets for a flavor."""
        found = self._limits(owner.spec.resource_groups)
        return (limit for name, limit in found if name == flavor)

    def _limits(self, groups: Iterable[ResourceGroup]) -> Iterator[tuple[str, ResourceLimit]]:
        for group in groups:
            for flavor in group.flavors:
                for limit in flavor.resources:
                    if self.gpus.factor(limit.name):
                        yield flavor.name, limit

    def _members(self, flavor: str) -> Iterator[Member]:
        for each in self.cohorts:
            key, above = cohort(each.metadata.name), each.spec.parent_name
            yield self._member(key, above, list(self._limits_of(each, flavor)))
        for each_queue in self.by_name.values():
            key, above = queue(each_queue.metadata.name), each_queue.spec.cohort_name
            yield self._member(key, above, list(self._limits_of(each_queue, flavor)))

    def _member(self, key: Key, above: str, limits: Sequence[ResourceLimit]) -> Member:
        """Return a member of the tree; resources that count the same GPUs add up."""
        return Member(
            key,
            cohort(above) if above else None,
            nominal=self._total({x.name: x.nominal_quota for x in limits}) or 0,
            borrowing=self._total({x.name: x.borrowing_limit for x in limits}),
            lending=self._total({x.name: x.lending_limit for x in limits}),
        )

    def _total(self, limits: Mapping[str, Quantity | None]) -> int | None:
        """Return the sum of limits in milli-GPU, None if there is none or one is unlimited."""
        known = {name: limit for name, limit in limits.items() if limit is not None}
        return self.gpus.counted(known) if limits and len(known) == len(limits) else None

    def _used(self) -> Mapping[str, Mapping[Key, int]]:
        """Return what ClusterQueues use, by flavor."""
        used: dict[str, dict[Key, int]] = defaultdict(lambda: defaultdict(int))
        for admission in filter(None, (w.status.admission for w in self.workloads)):
            key = queue(admission.cluster_queue)
            for part in admission.pod_set_assignments:
                for name, amount in part.resource_usage.items():
                    used[part.flavors.get(name, "")][key] += self.gpus.counted({name: amount})
        return used


def holds_quota(workload: Workload) -> bool:
    """Return whether a workload has been given quota."""
    return workload.status.admission is not None


def is_queued(workload: Workload) -> bool:
    """Return whether a workload waits for quota; one that is stopped or finished does not."""
    if holds_quota(workload) or holds_true(workload.status.conditions, "Finished"):
        return False
    reserved = condition(workload.status.conditions, "QuotaReserved")
    return reserved is None or reserved.reason != ON_HOLD


ON_HOLD = "OnHold"
"""Kueue's reason for a workload that is stopped by its owner, such as a StatefulSet at 0."""


def turn(workload: Workload) -> tuple[int, str, str]:
    """Return the key that orders queued workloads."""
    return -workload.spec.priority, _queued_since(workload), workload.metadata.name


def _queued_since(workload: Workload) -> str:
    evicted = condition(workload.status.conditions, "Evicted")
    if evicted and evicted.status == "True" and evicted.last_transition_time:
        return evicted.last_transition_time.isoformat()
    created = workload.metadata.creation_timestamp
    return created.isoformat() if created else ""
