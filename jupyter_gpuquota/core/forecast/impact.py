"""What a change of settings would do, found by applying it to the present state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import place_arg
from ...model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ...model.sessions import ENDED, Session
from ...model.struct import Message
from ..idle import lifetime
from ..members import warnings
from ..requests.feasibility import Prospects
from ..scheduling.queue import holds, safe_until
from ..scheduling.snapshot import ClusterSnapshot
from .settling import SteadyState, settle

Outcome = Literal[
    "starts", "reclaimed", "ends", "moves", "keeps", "delayed", "waits", "never", "again"
]
"""What can become of a session, as in the keys of messages, in the order of the summary."""

_EFFECTS: Mapping[Outcome, Effect] = {
    "starts": "starts",
    "reclaimed": "reclaimed",
    "ends": "ends",
    "moves": "moves",
    "keeps": "keeps",
    "delayed": "waits",
    "waits": "waits",
    "never": "waits",
    "again": "waits",
}


def compare(before: ClusterSnapshot, after: ClusterSnapshot) -> ChangePreview:
    """Return how the steady state after a change differs from the one without it."""
    old, new = settle(before), settle(after)
    projects = _projects(before, after, old, new)
    effects = list(_effects(before, after, old, new))
    sentences = [
        *_immediate([outcome for outcome, _ in effects], projects),
        *_later(before, after),
    ]
    return ChangePreview(
        message=joined(*sentences),
        sentences=tuple(sentences),
        projects=projects,
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
    before: ClusterSnapshot, after: ClusterSnapshot, old: SteadyState, new: SteadyState
) -> Iterator[tuple[Outcome, SessionEffect]]:
    """Return what becomes of sessions with the change and would not without it."""
    prospects = Prospects(before), Prospects(after)
    for now in before.sessions:
        then = old.sessions[now.id], new.sessions[now.id]
        effect = _of_holder(now, *then) if holds(now) else _of_queued(*then, *prospects)
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
    if after.placement:
        return outcome, [_sentence(outcome, now, place=place_arg(after.placement))]
    why = _why(after) if outcome == "reclaimed" else []
    return outcome, [_sentence(outcome, now), *why]


def _outcome(now: Session, then: Session) -> Outcome:
    if then.placement is None:
        return "ends" if then.state in ENDED else "reclaimed"
    return "keeps" if then.since == now.since else "moves"


def _of_queued(
    before: Session, after: Session, old: Prospects, new: Prospects
) -> tuple[Outcome, list[Message]] | None:
    if after.placement and before.placement:
        return None
    if after.placement:
        return "starts", [_sentence("starts", after, place=place_arg(after.placement))]
    if before.placement:
        return "delayed", [_sentence("delayed", after), *_why(after)]
    both_wait = before.state == after.state == "waiting"
    return _of_waiting(before, after, old, new) if both_wait else None


def _of_waiting(
    before: Session, after: Session, old: Prospects, new: Prospects
) -> tuple[Outcome, list[Message]] | None:
    once, now = old.obstacle(before), new.obstacle(after)
    if now and not once:
        return "never", [_sentence("never", after, obstacle=now)]
    if once and not now:
        return "again", [_sentence("again", after), *_why(after)]
    if before.reason and after.reason and before.reason.code != after.reason.code:
        return "waits", [_sentence("waits", after), *_why(after)]
    return None


def _sentence(outcome: Outcome, session: Session, **args: str) -> Message:
    name, project = session.spec.name, session.spec.project
    return message(f"change.session.{outcome}", session=name, project=project, **args)


def _why(session: Session) -> Sequence[Message]:
    return sentences_of(session.reason) if session.reason else ()


def _immediate(outcomes: Sequence[Outcome], projects: Sequence[ProjectEffect]) -> list[Message]:
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


def _later(before: ClusterSnapshot, after: ClusterSnapshot) -> Iterator[Message]:
    """Return how many sessions could be preempted from now on, or have another time to end."""
    exposed = [
        s
        for s in before.sessions
        if holds(s) and s.preemptible and s.placement and s.placement.slices
    ]
    protected, later = _protected(exposed, before), _protected(exposed, after)
    old, new = before.rules, after.rules
    yield from _count("exposed", len(protected - later))
    yield from _count("protected", len(later - protected))
    if old.grace != new.grace and exposed:
        grace = {"before": old.grace, "after": new.grace}
        yield message("change.later.grace", n=len(exposed), **grace)
    if new.consolidate and not old.consolidate:
        yield from _count("movable", len(exposed) - len(later))
    elif old.consolidate and not new.consolidate:
        yield from _count("fixed", len(exposed) - len(protected))
    yield from _run_times(before, after)


def _run_times(before: ClusterSnapshot, after: ClusterSnapshot) -> Iterator[Message]:
    """Return how many sessions would be stopped at another time."""
    old, new = ({p.name: p for p in snapshot.projects} for snapshot in (before, after))
    ends = [
        (
            lifetime.end_of(s, old.get(s.spec.project)),
            lifetime.end_of(s, new.get(s.spec.project)),
        )
        for s in before.sessions
    ]
    sooner = sum(b is not None and b > after.now and (a is None or b < a) for a, b in ends)
    longer = sum(a is not None and (b is None or b > a) for a, b in ends)
    yield from _count("sooner", sooner)
    yield from _count("longer", longer)


def _protected(sessions: list[Session], snapshot: ClusterSnapshot) -> set[str]:
    """Return the sessions that have not reached their minimum run time, by id."""
    projects = {p.name: p for p in snapshot.projects}
    return {
        s.id
        for s in sessions
        if safe_until(s, projects.get(s.spec.project), snapshot.rules, snapshot.now) > snapshot.now
    }


def _count(effect: str, count: int) -> Iterator[Message]:
    if count:
        yield message(f"change.later.{effect}", n=count)
