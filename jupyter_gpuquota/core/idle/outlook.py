"""What a change of the policy does to running sessions in the next hour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from ...model.messages.build import joined, message
from ...model.messages.formats import time_arg
from ...model.policy import IdleAction, Policy
from ...model.policy_trial import PolicyTrial, TrialSoon
from ...model.quota import Project
from ...model.sessions import Session
from ...model.struct import Message
from . import lifetime
from .decide import Reading, Track, observe
from .policy import Ruling, rule_for, subject_of

SOON = timedelta(hours=1)
"""How far a preview looks ahead: what is idle for long is ended within minutes."""
_SAME = timedelta(seconds=30)
"""By how much two ends may differ that count as the same."""


class _End(NamedTuple):
    """When a session is ended or its owner notified, and when the owner is warned."""

    at: datetime
    action: IdleAction
    warned: datetime | None


def soon(
    running: Iterable[tuple[Session, Track]],
    before: Policy,
    after: Policy,
    projects: Mapping[str, Project],
    now: datetime,
    every: timedelta,
) -> tuple[TrialSoon, ...]:
    """Return what differs for running sessions in the next hour, the soonest first.

    `every` is the interval of activity checks.
    """

    def end(session: Session, track: Track, policy: Policy) -> _End | None:
        project = projects.get(session.spec.project)
        ruling = rule_for(policy, subject_of(session), project, now)
        ends = lifetime.bound(session, project, policy, now).ends
        return _first(_idle(track, ruling, now, every), _over(ends, now), now + SOON)

    found = []
    for session, track in running:
        old, new = (end(session, track, policy) for policy in (before, after))
        if _differ(old, new):
            found.append(_told(session, old, new))
    return tuple(sorted(found, key=lambda each: (each.at is None, each.at or now, each.session)))


def with_soon(trial: PolicyTrial, found: tuple[TrialSoon, ...]) -> PolicyTrial:
    """Return a trial that also says what the policy does in the next hour."""
    sentences = (*trial.sentences, *_sentences(found))
    return msgspec.structs.replace(
        trial, soon=found, sentences=sentences, message=joined(*sentences)
    )


def _idle(track: Track, ruling: Ruling, now: datetime, every: timedelta) -> _End | None:
    """Return the end of a session that stays as it was when it was last observed."""
    readings = [Reading(name=s.name, state=s.state, last=s.last) for s in track.signals]
    idle = observe(track, readings, ruling, now, every)[0].idle if readings else None
    if idle is None or idle.acts is None or not idle.action:
        return None
    if idle.action == "notify":
        known = idle.warned is not None and idle.warned < now
        return None if known else _End(max(now, idle.acts), "notify", None)
    ahead = timedelta(seconds=ruling.limits.warn_before)
    return _End(max(now, idle.acts), idle.action, idle.warned or idle.acts - ahead)


def _over(ends: datetime | None, now: datetime) -> _End | None:
    """Return the end of a maximum run time."""
    return _End(ends, "stop", max(now, ends - lifetime.WARNING)) if ends else None


def _first(one: _End | None, other: _End | None, until: datetime) -> _End | None:
    ends = [end for end in (one, other) if end and end.at <= until]
    return min(ends, key=lambda end: end.at, default=None)


def _differ(old: _End | None, new: _End | None) -> bool:
    if old is None or new is None:
        return old is not new
    return old.action != new.action or abs(old.at - new.at) > _SAME


def _told(session: Session, old: _End | None, new: _End | None) -> TrialSoon:
    return TrialSoon(
        session=session.id,
        project=session.spec.project,
        user=session.owner,
        at=new and new.at,
        action=new and new.action,
        warned=new and new.warned,
        at_before=old and old.at,
        action_before=old and old.action,
    )


def _sentences(found: Sequence[TrialSoon]) -> Iterator[Message]:
    ends = [each for each in found if each.at and each.action != "notify"]
    spared = sum(each.at is None for each in found)
    if ends and ends[0].at:
        yield message("trial.soon.ends", n=len(ends), at=time_arg(ends[0].at))
    if spared:
        yield message("trial.soon.spared", n=spared)
    if not found:
        yield message("trial.soon.none")
