"""Apply a policy to the recorded activity of sessions.

It runs the live rule (`decide.observe`) at the times at which that may decide something, so a trial
shows what would have happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Literal

from ...model.idleness import Idleness
from ...model.policy_trial import TrialAct
from .decide import Event, Reading, Track, observe, resume
from .policy import Ruling, Subject

Rule = Callable[[Subject, datetime], Ruling]

WEEK = timedelta(days=7)
ALARM = timedelta(hours=1)
"""A session that is used again within this time was ended prematurely."""
_STEP = timedelta(minutes=15)
"""The longest time between two observations without a change, as quiet hours may begin."""
_APART = timedelta(minutes=2)
"""The longest gap in a recording that is ignored."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time of constant activity of a session, in seconds since 1970.

    `idle` is true if all of its signals were idle, `gpu` is the state of the GPU's signal, if any.
    The session held `milli` milli-GPU.
    """

    subject: Subject
    milli: int
    begin: int
    end: int
    idle: bool
    gpu: Literal["", "idle", "busy"] = ""

    def same(self, other: Stretch) -> bool:
        """Return whether another stretch has the same activity."""
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
    """Return the state after a stretch, and when the session is ended or reported in it."""
    now, end = _time(stretch.begin), _time(stretch.end)
    while now < end:
        warned = track.idle.warned if track.idle else None
        ruling = rule(stretch.subject, now)
        track, event = _observe(track, stretch, ruling, now)
        if track.idle and _is_done(track, event, warned):
            return track, now
        soonest = now + timedelta(seconds=1)
        now = min(end, max(soonest, min(now + _STEP, _next(track, ruling, end))))
    if not stretch.idle:  # it was used until then; the next stretch shows the effect
        track, _ = _observe(track, stretch, rule(stretch.subject, end), end)
    return track, None


def _observe(track: Track, stretch: Stretch, ruling: Ruling, now: datetime) -> tuple[Track, Event]:
    every = max(_APART, now - track.looked)  # observation was continuous
    return observe(track, _readings(stretch), ruling, now, every)


def _is_done(track: Track, event: Event, warned: datetime | None) -> bool:
    notice = track.idle is not None and track.idle.action == "notify" and warned is None
    return event == "act" or (event == "warn" and notice)


def _next(track: Track, ruling: Ruling, end: datetime) -> datetime:
    """Return the time of the next decision without a change."""
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
    """Return when an idle session is used again, 0 for never."""
    used = (s.gpu == "busy" if rule == "gpu_idle_timeout" else not s.idle for s in rest)
    return next((s.begin for s, is_used in zip(rest, used, strict=True) if is_used), 0)


def _held(rest: Sequence[Stretch], since: datetime, until: int) -> int:
    """Return what was held in a time, in milli-GPU seconds."""
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
