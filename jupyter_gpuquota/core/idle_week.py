"""Play a policy over what was recorded of sessions' activity.

It is the live rule that is played (`core.idleness.look`), at the times at which it may decide
something; so a trial promises what would happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Literal

from ..model.idleness import Idleness
from ..model.policytrial import TrialAct
from .idleness import Event, Reading, Track, look, resume
from .policy import Ruling, Subject

Rule = Callable[[Subject, datetime], Ruling]

WEEK = timedelta(days=7)
ALARM = timedelta(hours=1)
"""Used again within this time, a session had not been idle in earnest."""
_STEP = timedelta(minutes=15)
"""Least time between two looks while nothing changes: what quiet hours are found within."""
_APART = timedelta(minutes=2)
"""Longest gap in a recording that is no gap."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Be a time, in seconds since 1970, in which a session's activity was the same.

    `idle` tells whether all of its signals were, `gpu` how the one of the GPU was, if it had one.
    It held `milli` milli-GPU.
    """

    subject: Subject
    milli: int
    begin: int
    end: int
    idle: bool
    gpu: Literal["", "idle", "busy"] = ""

    def same(self, other: Stretch) -> bool:
        """Tell whether another stretch is of the same activity."""
        return replace(self, begin=0, end=0) == replace(other, begin=0, end=0)


def play(stretches: Iterable[Stretch], rule: Rule) -> list[TrialAct]:
    """Return what a policy would have done, oldest first."""
    ordered = sorted(stretches, key=lambda s: (s.subject.session, s.begin))
    acts: list[TrialAct] = []
    for _, own in groupby(ordered, key=lambda s: s.subject.session):
        acts += _play_one(list(own), rule)
    return sorted(acts, key=lambda act: (act.at, act.session))


def _play_one(stretches: Sequence[Stretch], rule: Rule) -> Iterator[TrialAct]:
    track, asleep = resume(None, None, _time(stretches[0].begin)), 0
    end = stretches[0].begin
    for i, stretch in enumerate(stretches):
        if stretch.end <= asleep:
            continue  # it would have been suspended
        if _time(stretch.begin) - _time(end) > _APART or asleep:
            track, asleep = resume(None, None, _time(stretch.begin)), 0
        end = stretch.end
        track, acted = _through(track, stretch, rule)
        if acted and track.idle:
            again = _again(stretches[i + 1 :], track.idle.rule)
            asleep = again or stretches[-1].end + 1
            held = _held(stretches[i:], acted, asleep)
            yield _act(track.idle, stretch.subject, acted, again, held)


def _through(track: Track, stretch: Stretch, rule: Rule) -> tuple[Track, datetime | None]:
    """Go through a stretch; tell when the session is acted on, or told of, in it."""
    now, end = _time(stretch.begin), _time(stretch.end)
    while now < end:
        told = track.idle.warned if track.idle else None
        ruling = rule(stretch.subject, now)
        track, event = _look(track, stretch, ruling, now)
        if track.idle and _is_done(track, event, told):
            return track, now
        soonest = now + timedelta(seconds=1)
        now = min(end, max(soonest, min(now + _STEP, _next(track, ruling, end))))
    if not stretch.idle:  # it was used until then; what comes of that shows in the next stretch
        track, _ = _look(track, stretch, rule(stretch.subject, end), end)
    return track, None


def _look(track: Track, stretch: Stretch, ruling: Ruling, now: datetime) -> tuple[Track, Event]:
    every = max(_APART, now - track.looked)  # nobody looked away in between
    return look(track, _readings(stretch), ruling, now, every)


def _is_done(track: Track, event: Event, told: datetime | None) -> bool:
    notice = track.idle is not None and track.idle.action == "notify" and told is None
    return event == "act" or (event == "warn" and notice)


def _next(track: Track, ruling: Ruling, end: datetime) -> datetime:
    """Tell when something is decided next, if nothing happens."""
    idle = track.idle
    if idle is None or idle.acts is None:
        return end
    if idle.warned or idle.action == "notify":
        return idle.acts
    return idle.acts - timedelta(seconds=ruling.limits.warn_before)


def _readings(stretch: Stretch) -> list[Reading]:
    used = Reading(name="kernels", state="idle" if stretch.idle else "busy")
    return [used, Reading(name="gpu", state=stretch.gpu)] if stretch.gpu else [used]


def _again(rest: Sequence[Stretch], rule: str) -> int:
    """Tell when what was idle is used again, 0 for never."""
    used = (s.gpu == "busy" if rule == "gpu_idle_timeout" else not s.idle for s in rest)
    return next((s.begin for s, is_used in zip(rest, used, strict=True) if is_used), 0)


def _held(rest: Sequence[Stretch], since: datetime, until: int) -> int:
    """Sum what was held in a time all the same, in milli-GPU seconds."""
    begin = int(since.timestamp())
    return sum(s.milli * max(0, min(s.end, until) - max(s.begin, begin)) for s in rest)


def _act(idle: Idleness, subject: Subject, at: datetime, again: int, held: int) -> TrialAct:
    action = idle.action or "notify"
    used = _time(again) if again else None
    return TrialAct(
        session=subject.session,
        project=subject.project,
        user=subject.owner,
        at=at,
        rule=idle.rule,
        action=action,
        returned=0 if action == "notify" else held // 3600,
        again=used,
        false_alarm=used is not None and used - at <= ALARM,
    )


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
