"""Which workloads Kueue may preempt, and which it would for a request.

The rules are those of Kueue's classical preemption (`pkg/scheduler/preemption/classical`). With
fair sharing switched on, Kueue compares the shares of ClusterQueues instead, so that this is an
estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....model.sessions import Kind
from .objects import ClusterQueue, Preemption, Workload, condition
from .queues import ProjectQueues, may_borrow
from .quota_tree import Key, QuotaTree, queue
from .state import KueueState


@dataclass(frozen=True, slots=True)
class Candidate:
    """A workload that may be preempted, what it holds of the flavor, and from where."""

    workload: Workload
    milli: int
    queue: Key
    meets: Key | None
    """The lowest Cohort that it shares with the preemptor; None: they are in the same queue."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for GPUs of one flavor from a ClusterQueue."""

    state: KueueState
    flavor: str
    source: ClusterQueue
    milli: int
    priority: int

    @property
    def key(self) -> Key:
        """The ClusterQueue in the tree."""
        return queue(self.source.metadata.name)

    @property
    def tree(self) -> QuotaTree:
        """The tree of the flavor."""
        return self.state.trees[self.flavor]


def choose(request: Request) -> tuple[Workload, ...]:
    """Return the workloads that would be preempted for a request; none if that does not help."""
    tree, chosen = request.tree, []
    for candidate in sorted(_candidates(request), key=_order):
        if _lends(tree, candidate):
            tree = tree.using(candidate.queue, -candidate.milli)
            chosen.append(candidate)
        if tree.available(request.key) >= request.milli:
            return _needed(request, tree, chosen)
    return ()


def _needed(request: Request, tree: QuotaTree, chosen: Iterable[Candidate]) -> tuple[Workload, ...]:
    """Return the chosen ones without those that may stay all the same."""
    kept = []
    for candidate in reversed(tuple(chosen)):
        back = tree.using(candidate.queue, candidate.milli)
        if back.available(request.key) >= request.milli:
            tree = back
        else:
            kept.append(candidate.workload)
    return tuple(reversed(kept))


def _candidates(request: Request) -> Iterable[Candidate]:
    """Iterate over the workloads that the policies of the request's queue allow to preempt."""
    tree, policy = request.tree, request.source.spec.preemption
    path = tuple(tree.path(request.key))
    for workload in request.state.holders():
        milli = held_of(request.state, workload, request.flavor)
        admission = workload.status.admission
        if not milli or admission is None:
            continue
        key = queue(admission.cluster_queue)
        if key == request.key:
            allowed, meets = _inside(policy, workload, request.priority), None
        else:
            meets = next((at for at in tree.path(key) if at in path), None)
            allowed = meets is not None and _across(request, workload, path[: path.index(meets)])
        if allowed:
            yield Candidate(workload, milli, key, meets)


def held_of(state: KueueState, workload: Workload, flavor: str) -> int:
    """Return what a workload holds of a flavor, in milli-GPU."""
    parts = workload.status.admission.pod_set_assignments if workload.status.admission else ()
    return sum(
        state.gpus.counted({name: amount})
        for part in parts
        for name, amount in part.resource_usage.items()
        if part.flavors.get(name) == flavor
    )


def _inside(policy: Preemption, workload: Workload, priority: int) -> bool:
    """Return whether a workload of the same queue may be preempted; a new one is the newest."""
    lower = ("LowerPriority", "LowerOrNewerEqualPriority")
    return policy.within_cluster_queue in lower and workload.spec.priority < priority


def _across(request: Request, workload: Workload, below: Iterable[Key]) -> bool:
    """Return whether a workload of another queue may be preempted.

    `below` are the members above the request that are not above the workload: if the request is
    within the quota of one of them, it reclaims what is its own; otherwise it borrows.
    """
    policy = request.source.spec.preemption
    lower = workload.spec.priority < request.priority
    if any(request.tree.within_quota(at, request.milli) for at in below):
        reclaim = policy.reclaim_within_cohort
        return reclaim == "Any" or (reclaim == "LowerPriority" and lower)
    borrow = policy.borrow_within_cohort
    most = borrow.max_priority_threshold
    within = most is None or workload.spec.priority <= most
    return borrow.policy == "LowerPriority" and lower and within


def _lends(tree: QuotaTree, candidate: Candidate) -> bool:
    """Return whether a candidate still holds borrowed GPUs: those in quota are never taken."""
    if candidate.meets is None:
        return True
    for at in tree.path(candidate.queue):
        if at == candidate.meets:
            return True
        if not tree.borrows(at):
            return False
    return False


def _order(candidate: Candidate) -> tuple[bool, int, float, str]:
    """Return the key that orders candidates: other queues, low priority, recent ones first."""
    workload = candidate.workload
    reserved = condition(workload.status.conditions, "QuotaReserved")
    since = reserved.last_transition_time if reserved else None
    began = since.timestamp() if since else 0.0
    return (candidate.meets is None, workload.spec.priority, -began, workload.metadata.uid)


def may_lose(queues: ProjectQueues, kind: Kind, priorities: Mapping[Kind, int]) -> bool:
    """Return whether sessions of a kind may be preempted, by the policies of all queues.

    `priorities` are those of the kinds of sessions; other workloads may have any.
    """
    state, source = queues.state, queues.behind(kind)
    own = priorities.get(kind, 0)
    higher = any(value > own for value in {*state.priorities.values(), *priorities.values()})
    inside = source.spec.preemption.within_cluster_queue
    if inside == "LowerOrNewerEqualPriority" or (inside == "LowerPriority" and higher):
        return True
    if not may_borrow(state, source.metadata.name):
        return False
    return any(
        other.spec.preemption.reclaim_within_cohort == "Any"
        or (
            higher
            and "LowerPriority"
            in (
                other.spec.preemption.reclaim_within_cohort,
                other.spec.preemption.borrow_within_cohort.policy,
            )
        )
        for other in _relatives(state, source)
    )


def _relatives(state: KueueState, source: ClusterQueue) -> Iterable[ClusterQueue]:
    """Iterate over the other ClusterQueues that borrow from the same root."""
    key = queue(source.metadata.name)
    trees = [state.trees[flavor] for flavor in state.flavors_of(source.metadata.name)]
    for name, other in state.by_name.items():
        common = (set(tree.path(key)) & set(tree.path(queue(name))) for tree in trees)
        if queue(name) != key and any(common):
            yield other
