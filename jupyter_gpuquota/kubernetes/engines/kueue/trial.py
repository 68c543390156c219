"""What a change of Kueue's objects would do to present workloads. Pure, and an estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from ....model.messages.build import joined, message
from ....model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ....model.sessions import Session
from ...names import object_name
from ...objects.meta import Object
from .forecast import Projects, Wanted, forecast
from .objects import Admission, ClusterQueue, Cohort, LocalQueue, PodSetAssignment, Workload
from .queues import find_queues
from .quota_tree import queue
from .state import KueueState, holds_quota, turn

WantedOf = Callable[[Workload], Wanted]
"""Returns what a workload requests."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What holds quota once Kueue has decided about all that is queued."""

    state: KueueState
    projects: Projects

    @property
    def holders(self) -> frozenset[str]:
        """The uids of workloads that hold quota."""
        return frozenset(w.metadata.uid for w in self.state.holders())


def changed(state: KueueState, objects: Iterable[Object], gone: Iterable[str] = ()) -> KueueState:
    """Return the state with changed or new objects, without the queues of projects that go."""
    lost = set(gone)
    local_queues = {q.key: q for q in state.local_queues if q.metadata.namespace not in lost}
    cluster_queues = {q.metadata.name: q for q in state.cluster_queues}
    cohorts = {c.metadata.name: c for c in state.cohorts}
    for each in objects:
        if isinstance(each, ClusterQueue):
            cluster_queues[each.metadata.name] = each
        elif isinstance(each, Cohort):
            cohorts[each.metadata.name] = each
        elif isinstance(each, LocalQueue):
            local_queues[each.key] = each
    return replace(
        state,
        local_queues=tuple(local_queues.values()),
        cluster_queues=tuple(cluster_queues.values()),
        cohorts=tuple(cohorts.values()),
    )


def settle(state: KueueState, names: tuple[str, str], wanted_of: WantedOf) -> Settled:
    """Return the state after Kueue has tried each queued workload once, in its order."""
    order = [w for queued in state.queued.values() for w in queued]
    for workload in sorted(order, key=turn):
        projects = find_queues(state, *names)
        wanted = wanted_of(workload)
        if not wanted.milli or wanted.project not in projects:
            continue
        outcome = forecast(wanted, projects)
        if outcome.verdict in {"fits", "borrows", "reclaims"}:
            state = _admitted(state, workload, wanted, projects, outcome.victims)
    return Settled(state, find_queues(state, *names))


def effect(
    present: KueueState, before: Settled, after: Settled, sessions: Sequence[Session]
) -> ChangePreview:
    """Return how the settled state after a change differs from the one without it."""
    found = list(_sessions(present, before, after, sessions))
    counts = [
        message(f"change.count.{what}", n=count)
        for what in ("starts", "reclaimed", "delayed")
        if (count := sum(outcome == what for outcome, _ in found))
    ]
    sentences = counts or [message("change.none")]
    return ChangePreview(
        message=joined(*sentences),
        sentences=tuple(sentences),
        projects=tuple(_projects(before.projects, after.projects)),
        sessions=tuple(each for _, each in found),
    )


def _admitted(
    state: KueueState,
    workload: Workload,
    wanted: Wanted,
    projects: Projects,
    victims: Sequence[Workload],
) -> KueueState:
    """Return the state in which a workload holds its quota, and its victims hold none."""
    source = projects[wanted.project].behind(wanted.kind).metadata.name
    leaving = {w.metadata.uid for w in victims}
    flavors = state.flavors_of(source)
    key = queue(source)
    fitting = (f for f in flavors if state.trees[f].available(key) >= wanted.milli)
    flavor = next(fitting, flavors[0])
    name = state.gpus.milli
    held = Admission(
        cluster_queue=source,
        pod_set_assignments=(
            PodSetAssignment(flavors={name: flavor}, resource_usage={name: wanted.milli}),
        ),
    )

    def after(each: Workload) -> Workload:
        if each.metadata.uid in leaving:
            return structs.replace(each, status=structs.replace(each.status, admission=None))
        if each.metadata.uid == workload.metadata.uid:
            return structs.replace(each, status=structs.replace(each.status, admission=held))
        return each

    return replace(state, workloads=tuple(map(after, state.workloads)))


def _sessions(
    present: KueueState, before: Settled, after: Settled, sessions: Sequence[Session]
) -> Iterator[tuple[str, SessionEffect]]:
    for session in sessions:
        workload = present.by_owner.get((session.spec.project, object_name(session)))
        if workload is None:
            continue
        uid = workload.metadata.uid
        now, then = uid in before.holders, uid in after.holders
        if now == then:
            continue
        outcome = "starts" if then else "reclaimed" if holds_quota(workload) else "delayed"
        key = "admitted" if then else outcome
        name, project = session.spec.name, session.spec.project
        said = message(f"change.session.{key}", session=name, project=project)
        shown: Effect = "starts" if then else "reclaimed" if holds_quota(workload) else "waits"
        yield (
            outcome,
            SessionEffect(
                session=session.id,
                name=name,
                project=project,
                effect=shown,
                message=said.text,
                sentences=(said,),
            ),
        )


def _projects(before: Projects, after: Projects) -> Iterator[ProjectEffect]:
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        quotas: Mapping[str, int] = {
            "quota_before": old.quota if old else 0,
            "quota": new.quota if new else 0,
        }
        yield ProjectEffect(
            name=name,
            **quotas,
            fair_before=quotas["quota_before"],
            fair=quotas["quota"],
            allocated_before=old.used if old else 0,
            allocated=new.used if new else 0,
        )
