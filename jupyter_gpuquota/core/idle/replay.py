"""Count the sessions that a policy would have ended, from their recorded activity.

It runs the live rule (`decide.observe`) at the times at which that may decide something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Literal

from ...model.messages.build import message
from ...model.policy import Policy
from ...model.quota import Project
from ...model.struct import Message
from .decide import Event, Reading, Track, observe, resume
from .policy import Ruling, Subject, rule_for

Rule = Callable[[Subject, datetime], Ruling]
"""Returns the policy of a session at a time."""

WEEK = timedelta(days=7)
_APART = timedelta(minutes=2)
"""The longest gap in a recording that is ignored."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time of constant activity of a session, in seconds since 1970.

    `idle` is true if all of its signals were idle, `gpu` is the state of the GPU's signal, if any.
    """

    subject: Subject
    begin: int
    end: int
    idle: bool
    gpu: Literal["", "idle", "busy"] = ""

    def same(self, other: Stretch) -> bool:
        """Return whether another stretch has the same activity."""
        return replace(self, begin=0, end=0) == replace(other, begin=0, end=0)


def summary(
    stretches: Sequence[Stretch], policy: Policy, projects: Iterable[Project], until: datetime
) -> Message:
    """Return in one sentence how many sessions a policy would have ended over the last week."""
    if not stretches:
        return message("past.idle.none")
    count = ended(stretches, policy, projects)
    span = until - _time(min(stretch.begin for stretch in stretches))
    if span >= WEEK:
        return message("past.idle.week", n=count)
    return message("past.idle.part", n=count, span=max(60, int(span.total_seconds())))


def ended(stretches: Iterable[Stretch], policy: Policy, projects: Iterable[Project]) -> int:
    """Return how many sessions a policy would have ended for being idle."""
    known = {project.name: project for project in projects}

    def ruling(who: Subject, now: datetime) -> Ruling:
        return rule_for(policy, who, known.get(who.project), now)

    ordered = sorted(stretches, key=lambda s: (s.subject.session, s.begin))
    by_session = groupby(ordered, key=lambda s: s.subject.session)
    return sum(end_of(own, ruling) is not None for _, own in by_session)


def end_of(stretches: Iterable[Stretch], rule: Rule) -> datetime | None:
    """Return when a session would first have been ended for being idle, None for never."""
    track, seen = _unseen(), None
    for stretch in stretches:
        now, end = _time(stretch.begin), _time(stretch.end)
        if seen and now - seen > _APART:
            track = _unseen()
        seen = end
        while now < end:
            ruling = rule(stretch.subject, now)
            track, event = _observe(track, stretch, ruling, now)
            if event == "act":
                return now
            now = min(end, max(now + timedelta(seconds=1), _next(track, ruling, end)))
        if not stretch.idle:  # it was used until then; the next stretch shows the effect
            track, _ = _observe(track, stretch, rule(stretch.subject, end), end)
    return None


def _unseen() -> Track:
    return resume(None, None, _time(0))


def _observe(track: Track, stretch: Stretch, ruling: Ruling, now: datetime) -> tuple[Track, Event]:
    every = max(_APART, now - track.looked)  # observation was continuous
    return observe(track, _readings(stretch), ruling, now, every)


def _next(track: Track, ruling: Ruling, end: datetime) -> datetime:
    """Return the time of the next decision without a change."""
    idle = track.idle
    if idle and idle.exempt:
        return idle.exempt
    if idle is None or idle.acts is None or idle.action == "notify":
        return end
    return idle.acts if idle.warned else idle.acts - timedelta(seconds=ruling.limits.warn_before)


def _readings(stretch: Stretch) -> list[Reading]:
    used = Reading(name="kernels", state="idle" if stretch.idle else "busy")
    return [used, Reading(name="gpu", state=stretch.gpu)] if stretch.gpu else [used]


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
