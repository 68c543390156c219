"""Kueue's objects in memory, with what sessions request of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....model.quota import Department
from ....model.sessions import KINDS, Kind, SessionSpec
from ...watching.derived import Derived
from ..surroundings import Known, Surroundings
from .admission import Reader
from .forecast import Projects, Wanted
from .objects import (
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    PRIORITY_CLASSES,
    WORKLOADS,
    LocalQueue,
)
from .projects import warnings
from .queues import ProjectQueues, find_closed, find_queues
from .quota_tree import Key, queue
from .state import KueueState


class KueueView:
    """Kueue's objects as last seen; what is computed from them is kept until one changes."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        caches = around.caches
        self._local_queues = caches.cache(LOCAL_QUEUES)
        self._cluster_queues = caches.cache(CLUSTER_QUEUES)
        self._cohorts = caches.cache(COHORTS)
        self._workloads = caches.cache(WORKLOADS)
        self._priority_classes = caches.cache(PRIORITY_CLASSES)
        self._seen = Derived(self._read)
        self._warned: tuple[KueueState | None, Sequence[str]] = (None, ())
        self._above: tuple[KueueState | None, tuple[Department, ...]] = (None, ())

    def subscribe(self, changed: Callable[[], None]) -> Sequence[Callable[[], None]]:
        """Call a function after each change; return what ends this."""

        def forget(_: object) -> None:
            self._seen.outdate()
            changed()

        kinds: tuple[Known[Any], ...] = (
            self._local_queues,
            self._cluster_queues,
            self._cohorts,
            self._workloads,
            self._priority_classes,
        )
        return [kind.subscribe(forget) for kind in kinds]

    @property
    def state(self) -> KueueState:
        """The objects."""
        return self._seen.value[0]

    @property
    def projects(self) -> Projects:
        """The queues of each project, by its name."""
        return self._seen.value[1]

    @property
    def closed(self) -> Mapping[str, LocalQueue]:
        """The LocalQueue of each project of whose ClusterQueues nothing is known."""
        return self._seen.value[2]

    @property
    def warnings(self) -> Sequence[str]:
        """What administrators may not have intended, worked out anew after changes only."""
        state, projects, _ = self._seen.value
        if self._warned[0] is not state:
            self._warned = state, tuple(warnings(projects, self.priorities))
        return self._warned[1]

    @property
    def departments(self) -> tuple[Department, ...]:
        """The Cohorts that projects are in, worked out anew after changes only."""
        state, projects, _ = self._seen.value
        if self._above[0] is not state:
            self._above = state, departments_of(state, projects)
        return self._above[1]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the LocalQueues that administrators have chosen."""
        return self._around.settings.queue, self._around.settings.interactive_queue

    @property
    def priorities(self) -> Mapping[Kind, int]:
        """Kueue's priority of each kind of session; without a class it is 0."""
        known = self.state.priorities
        return {kind: known.get(self.class_of(kind), 0) for kind in KINDS}

    def class_of(self, kind: Kind) -> str:
        """Return the name of the WorkloadPriorityClass for a kind of session."""
        return self._around.settings.priorities.get(kind, kind)

    def wanted(self, spec: SessionSpec) -> Wanted:
        """Return what a checked request costs, and its priority."""
        cost, priority = self._around.cost(spec), self.priorities.get(spec.kind, 0)
        return Wanted(spec.project, spec.kind, spec.share, cost, priority)

    def reader(self) -> Reader:
        """Return what reads the workloads of sessions."""
        return Reader(self.state, self.projects, self._around.sessions)

    def _read(self) -> tuple[KueueState, Projects, Mapping[str, LocalQueue]]:
        state = KueueState(
            local_queues=tuple(self._local_queues.values()),
            cluster_queues=tuple(self._cluster_queues.values()),
            cohorts=tuple(self._cohorts.values()),
            workloads=tuple(self._workloads.values()),
            priority_classes=tuple(self._priority_classes.values()),
            gpus=self._around.settings.gpus,
        )
        return state, find_queues(state, *self.names), find_closed(state, self.names[0])


def departments_of(state: KueueState, projects: Projects) -> tuple[Department, ...]:
    """Return the Cohorts that projects are in, by name; flavors add up.

    The quota of one is all that is set in it and below it. A project whose queues are in several
    Cohorts is in that of its main queue.
    """
    parents: dict[Key, str] = {}
    inside: dict[Key, list[str]] = defaultdict(list)
    for name, each in projects.items():
        above = [*_above(state, each)]
        for key, parent in zip(above, [*above[1:], None], strict=False):
            parents[key] = parent[1] if parent else ""
        if above:
            inside[above[0]].append(name)
    quotas = _quotas(state)
    return tuple(
        Department(
            name=key[1],
            parent=parents[key],
            projects=tuple(sorted(inside[key])),
            quota=quotas[key],
            limit=_limit(state, key, quotas[key], root=not parents[key]),
        )
        for key in sorted(parents)
    )


def _above(state: KueueState, project: ProjectQueues) -> Iterator[Key]:
    """Yield the members above a project, the nearest first."""
    main = queue(project.main.spec.cluster_queue)
    for flavor in state.flavors_of(main[1])[:1]:  # all flavors have the same Cohorts
        own, found = set(project.tops(flavor)), False
        for key in state.trees[flavor].path(main):
            if found:
                yield key
            found = found or key in own


def _quotas(state: KueueState) -> Counter[Key]:
    """Return what is set in each member and below it."""
    found: Counter[Key] = Counter()
    for tree in state.trees.values():
        for key, member in tree.members.items():
            for at in tree.path(key):
                found[at] += member.nominal
    return found


def _limit(state: KueueState, key: Key, quota: int, *, root: bool) -> int | None:
    """Return the most that all below a Cohort may use; None if only those above limit it."""
    borrowing = [0 if root else tree.members[key].borrowing for tree in state.trees.values()]
    known = [amount for amount in borrowing if amount is not None]
    return quota + sum(known) if len(known) == len(borrowing) else None
