"""What a change of a project would do, found by applying it to the present state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import place_arg
from ...model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ...model.quota import Project
from ...model.resources import Placement
from ...model.sessions import ENDED, Session
from ...model.struct import Message
from .. import lifecycle
from ..idle import lifetime
from ..members import warnings
from ..scheduling.allocation import apply_plan
from ..scheduling.holders import held_by
from ..scheduling.queue import holds
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot, Decision, Plan

Outcome = Literal["starts", "reclaimed", "ends", "keeps", "delayed", "waits"]
"""What can become of a session, as in the keys of messages, in the order of the summary."""

_EFFECTS: Mapping[Outcome, Effect] = {
    "starts": "starts",
    "reclaimed": "reclaimed",
    "ends": "ends",
    "keeps": "keeps",
    "delayed": "waits",
    "waits": "waits",
}


def compare(before: ClusterSnapshot, projects: Sequence[Project]) -> ChangePreview:
    """Return how the steady state with other projects differs from the one with the present."""
    after = replace(before, projects=tuple(projects))
    old, new = settle(before), settle(after)
    changed = _projects(before, after, old, new)
    effects = list(_effects(before, old, new))
    sentences = _summary([outcome for outcome, _ in effects], changed)
    return ChangePreview(
        message=joined(*sentences),
        sentences=tuple(sentences),
        projects=changed,
        sessions=tuple(effect for _, effect in effects),
        warnings=warnings(after.projects, after.nodes),
    )


def _projects(
    before: ClusterSnapshot, after: ClusterSnapshot, old: SteadyState, new: SteadyState
) -> tuple[ProjectEffect, ...]:
    quotas = {p.name: p.quota for p in before.projects}
    wanted = {p.name: p.quota for p in after.projects}
    return tuple(
        ProjectEffect(
            name=name,
            quota_before=quotas.get(name, 0),
            quota=wanted.get(name, 0),
            fair_before=old.fair.get(name, 0),
            fair=new.fair.get(name, 0),
            allocated_before=old.allocated(name),
            allocated=new.allocated(name),
        )
        for name in {**quotas, **wanted}
    )


def _effects(
    before: ClusterSnapshot, old: SteadyState, new: SteadyState
) -> Iterator[tuple[Outcome, SessionEffect]]:
    """Return what becomes of sessions with the change and would not without it."""
    for now in before.sessions:
        then = old.sessions[now.id], new.sessions[now.id]
        effect = _of_holder(now, *then) if holds(now) else _of_queued(*then)
        if effect is None:
            continue
        outcome, sentences = effect
        yield (
            outcome,
            SessionEffect(
                session=now.id,
                name=now.spec.name,
                project=now.spec.project,
                effect=_EFFECTS[outcome],
                message=joined(*sentences),
                sentences=tuple(sentences),
            ),
        )


def _of_holder(
    now: Session, before: Session, after: Session
) -> tuple[Outcome, list[Message]] | None:
    outcome = _outcome(now, after)
    if outcome == _outcome(now, before):
        return None
    if after.placement and outcome == "keeps":
        return outcome, [_sentence(outcome, now, place=place_arg(after.placement))]
    why = _why(after) if outcome == "reclaimed" else []
    return outcome, [_sentence(outcome, now), *why]


def _outcome(now: Session, then: Session) -> Outcome:
    """Return what becomes of a holder; one that is moved is preempted first."""
    if then.placement and then.since == now.since:
        return "keeps"
    return "ends" if then.state in ENDED else "reclaimed"


def _of_queued(before: Session, after: Session) -> tuple[Outcome, list[Message]] | None:
    if after.placement and before.placement:
        return None
    if after.placement:
        return "starts", [_sentence("starts", after, place=place_arg(after.placement))]
    if before.placement:
        return "delayed", [_sentence("delayed", after), *_why(after)]
    both_wait = before.state == after.state == "waiting"
    reasons = before.reason, after.reason
    if both_wait and all(reasons) and len({each.code for each in reasons if each}) > 1:
        return "waits", [_sentence("waits", after), *_why(after)]
    return None


def _sentence(outcome: Outcome, session: Session, **args: str) -> Message:
    name, project = session.spec.name, session.spec.project
    return message(f"change.session.{outcome}", session=name, project=project, **args)


def _why(session: Session) -> Sequence[Message]:
    return sentences_of(session.reason) if session.reason else ()


def _summary(outcomes: Sequence[Outcome], projects: Sequence[ProjectEffect]) -> list[Message]:
    """Return how many sessions each outcome has, and which fair shares change."""
    counts = Counter(outcomes)
    sentences = [
        message(f"change.count.{outcome}", n=counts[outcome])
        for outcome in _EFFECTS
        if counts[outcome]
    ]
    sentences += [
        message("change.fair_share", project=p.name, before=p.fair_before, after=p.fair)
        for p in projects
        if p.fair != p.fair_before
    ]
    return sentences or [message("change.none")]


_CYCLES = 50
"""The most cycles until nothing changes; each but the last starts or stops something."""


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The state in which nothing changes without a new event.

    `plans` are those of all cycles, `lost` the ids of the sessions that were preempted on the way,
    in order.
    """

    sessions: Mapping[str, Session]
    plans: tuple[Plan, ...]
    lost: tuple[str, ...]

    @property
    def last(self) -> Plan:
        """Return the plan that changes nothing any more."""
        return self.plans[-1]

    def decision(self, session: str) -> Decision:
        """Return what the first cycle decides of a queued session."""
        return next(d for d in self.plans[0].decisions if d.session == session)

    def started(self, session: str) -> int | None:
        """Return the number of the first cycle that starts a session, from 0; None if none does."""
        for number, plan_ in enumerate(self.plans):
            if any(
                d.session == session and isinstance(d.outcome, Placement) for d in plan_.decisions
            ):
                return number
        return None

    @property
    def fair(self) -> Mapping[str, int]:
        """Return the fair shares, in milli-GPU."""
        return self.last.fair

    def allocated(self, project: str) -> int:
        """Return what a project holds, in milli-GPU."""
        return sum(held_by(s) for s in self.sessions.values() if s.spec.project == project)


def settle(snapshot: ClusterSnapshot) -> SteadyState:
    """Return the state after cycles until nothing changes.

    Sessions whose maximum run time is over have ended; those that are stopping hold their GPUs
    during the first cycle.
    """
    projects = {p.name: p for p in snapshot.projects}
    sessions = {
        s.id: _ended(s, projects.get(s.spec.project), snapshot.now) for s in snapshot.sessions
    }
    plans: list[Plan] = []
    lost = dict[str, None]()
    for _ in range(_CYCLES):
        decided = plan(replace(snapshot, sessions=tuple(sessions.values())))
        plans.append(decided)
        lost |= dict.fromkeys(eviction.session for eviction in decided.evictions)
        changed = apply_plan(decided, sessions, snapshot.now)
        leaving = [s for s in sessions.values() if s.state == "stopping"]
        sessions |= {s.id: lifecycle.finish_end(s, snapshot.now) for s in leaving}
        if not changed and not leaving:
            break
    return SteadyState(sessions, tuple(plans), tuple(lost))


def _ended(session: Session, project: Project | None, now: datetime) -> Session:
    """Return a session as ended if its maximum run time is over."""
    bounded = lifetime.bounded(session, project)
    if bounded.ends is None or bounded.ends > now:
        return session
    return lifecycle.finish_end(lifetime.end(bounded, now), now)
