"""What a change of a project would do, found by applying it to the present state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...model.messages.build import joined, message, sentences_of
from ...model.messages.formats import place_arg
from ...model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ...model.quota import Project
from ...model.sessions import ENDED, Session
from ...model.struct import Message
from ..members import warnings
from ..scheduling.queue import holds
from ..scheduling.snapshot import ClusterSnapshot
from .settling import SteadyState, settle

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
