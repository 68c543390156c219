"""Decide whether a session is idle, when its owner is warned, and when it is ended.

A session is idle when all of its signals are; a signal that cannot be read counts as busy. A
session is ended only after a warning, `warn_before` earlier, and continuous observation since:
after downtime or a clock jump it is observed and warned again. (The idle cullers of JupyterHub and
Kubeflow compare one time stamp and do not warn.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

import msgspec

from ...errors import NotAllowed
from ...model.idleness import Idleness, IdleRule, KeptAlive, Signal, SignalName, SignalState
from ...model.policy import IdleAction
from ...model.sessions import Session
from ...model.spans import write_span
from .policy import Limits, Ruling

Event = Literal["", "warn", "act"]

SAVING = timedelta(seconds=30)
"""How long after a warning, and before the end, the page saves rather than a person."""

_ALL_RULES = get_args(IdleRule)
_GAIN = timedelta(minutes=1)
"""The least delay for which an extension counts."""
_MISSED = 3
"""Missed observations after which a session counts as not observed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One observation of one signal.

    `last` is when it was last busy, where the signal knows. `claimed` is an unreliable time of
    that: widgets and background prints change a kernel's `last_activity`, so it counts only for
    times without observation. `percent` is the GPU utilisation at this moment, where it is known to
    be the session's own.
    """

    name: SignalName
    state: SignalState
    last: datetime | None = None
    claimed: datetime | None = None
    detail: str = ""
    percent: int | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """What is known of one session between observations."""

    looked: datetime
    signals: tuple[Signal, ...]
    idle: Idleness | None = None
    kept: KeptAlive | None = None


def resume(idle: Idleness | None, kept: KeptAlive | None, now: datetime) -> Track:
    """Return what is known of a session that was not observed: what was stored.

    Idle time counts on if the next observation agrees; a warning does not.
    """
    never = now - timedelta(days=36_500)
    return Track(never, (), idle, kept)


def observe(
    before: Track, readings: Sequence[Reading], ruling: Ruling, now: datetime, every: timedelta
) -> tuple[Track, Event]:
    """Return the state after an observation, and what to do; `every` is the interval."""
    watched = timedelta() <= now - before.looked <= every * _MISSED
    signals = tuple(_signal(reading, before, now, watched=watched) for reading in readings)
    found = _found(signals, ruling)
    kept = _remaining(before.kept, now, used=not _idle(signals))
    if found is None:
        return Track(now, signals, None, kept), ""
    old = before.idle if watched else None
    idle, event = _judge(found, old, kept, ruling, now)
    return Track(now, signals, idle, kept), event


def unmeasured(before: Track, now: Track, ruling: Ruling) -> str:
    """Return why a session cannot be ended for being idle, though no signal is busy.

    That is the signal that was unknown in two observations. Empty where there is none, or no
    timeout.
    """
    if ruling.exempt or not ruling.limits.idle_timeout:
        return ""
    if any(signal.state == "busy" for signal in now.signals):
        return ""
    already = {signal.name for signal in before.signals if signal.state == "unknown"}
    details = [s.detail for s in now.signals if s.state == "unknown" and s.name in already]
    return details[0] if details else ""


def keep_alive(
    kept: KeptAlive | None, span: int, now: datetime, idle: Idleness | None = None
) -> KeptAlive:
    """Return the extension of a session, `span` seconds from now or longer.

    An extension that delays nothing is not counted; `idle` has the time of the end.
    """
    until = now + timedelta(seconds=span)
    stands = [time for time in (kept and kept.until, idle and idle.acts) if time]
    counts = until - max(stands, default=now) >= _GAIN
    times = (kept.times if kept else 0) + counts
    return KeptAlive(until=max(until, kept.until) if kept else until, times=times)


def check_keep_alive(session: Session, span: int, limits: Limits) -> None:
    """Raise NotAllowed for what the policy does not allow; `span` 0 is the default time."""
    name, most = session.spec.name, limits.keep_alive
    if not most or not limits.keep_alives:
        raise NotAllowed(
            f"The policy does not allow keeping {name} alive.",
            hint="Use it, or ask an administrator.",
        )
    if span > most:
        raise NotAllowed(
            f"The policy keeps {name} alive for at most {write_span(most)} at a time.",
            hint="Request less, and extend it again later.",
        )
    if session.kept and session.kept.times >= limits.keep_alives:
        raise NotAllowed(
            "The policy allows no further extensions.", hint=f"Use {name} to keep it running."
        )


def saves_itself(idle: Idleness | None, at: datetime) -> bool:
    """Return whether a session's page saves automatically at a time.

    It does so when its owner is warned, and shortly before the end (`saving.ts`).
    """
    if idle is None or idle.warned is None:
        return False
    return at - idle.warned <= SAVING or (idle.acts is not None and idle.acts - at <= SAVING)


def _signal(reading: Reading, before: Track, now: datetime, *, watched: bool) -> Signal:
    """Return a signal with its last busy time; unobserved time counts as before it."""
    if reading.state == "idle":
        known = [t for t in (reading.last, None if watched else reading.claimed) if t]
        known.append(_known(reading.name, before, now, watched=watched))
        last = min(now, max(known))
    else:
        last = now
    return Signal(name=reading.name, state=reading.state, last=last, detail=reading.detail)


def _known(name: SignalName, before: Track, now: datetime, *, watched: bool) -> datetime:
    seen = [signal.last for signal in before.signals if signal.name == name]
    if watched and seen:
        return seen[0]
    idle = before.idle
    if idle and (idle.rule != "gpu_idle_timeout" or name == "gpu"):
        return idle.since
    return now


def _idle(signals: Iterable[Signal]) -> bool:
    states = [signal.state for signal in signals]
    return bool(states) and all(state == "idle" for state in states)


def _found(signals: Sequence[Signal], ruling: Ruling) -> Idleness | None:
    """Return the idleness whose rule applies first, None for an active session."""
    limits = ruling.limits
    gpu = [s.last for s in signals if s.name == "gpu" and s.state == "idle"]
    found = []
    if _idle(signals):
        since = max(signal.last for signal in signals)
        due = _after(since, limits.idle_timeout)
        found.append(_of("idle_timeout", since, due, limits.action, ruling))
    if gpu and limits.gpu_idle_timeout:
        due = _after(gpu[0], limits.gpu_idle_timeout)
        found.append(_of("gpu_idle_timeout", gpu[0], due, limits.gpu_idle_action, ruling))
    acting = [idle for idle in found if idle.acts]
    return min(acting, key=_when, default=found[0] if found else None)


def _after(since: datetime, timeout: int) -> datetime | None:
    return since + timedelta(seconds=timeout) if timeout else None


def _when(idle: Idleness) -> tuple[datetime, int]:
    return idle.acts or idle.since, _ALL_RULES.index(idle.rule)


def _of(
    rule: IdleRule, since: datetime, due: datetime | None, action: IdleAction, ruling: Ruling
) -> Idleness:
    """Return idleness with the earliest time of the end, if it has one."""
    if due is None:
        return Idleness(since=since, rule=rule)
    if ruling.exempt:
        return Idleness(since=since, rule=rule, exempt=ruling.exempt.until)
    return Idleness(since=since, rule=rule, level=ruling.level(rule), action=action, acts=due)


def _judge(
    found: Idleness, old: Idleness | None, kept: KeptAlive | None, ruling: Ruling, now: datetime
) -> tuple[Idleness, Event]:
    """Return the event that is due: a warning, or the end once the warning is old enough."""
    if found.acts is None:
        return found, ""
    due = max(found.acts, kept.until) if kept else found.acts
    ahead = _ahead(found, ruling.limits)
    warned = old.warned if old and _same(found, old) and due - ahead <= now else None
    if warned is None:
        if now < due - ahead:
            return msgspec.structs.replace(found, acts=due), ""
        acts = max(due, now + ahead)
        return msgspec.structs.replace(found, acts=acts, warned=now), "warn"
    announced = old.acts if old and old.acts else due
    acts = max(due, warned + ahead, announced)
    idle = msgspec.structs.replace(found, acts=acts, warned=warned)
    return idle, "act" if now >= acts and found.action != "notify" else ""


def _ahead(idle: Idleness, limits: Limits) -> timedelta:
    """Return how long before the end the owner is warned; a notice needs no warning."""
    return timedelta(seconds=0 if idle.action == "notify" else limits.warn_before)


def _same(found: Idleness, old: Idleness) -> bool:
    """Return whether a warning is still valid: the session was not used since."""
    return (found.since, found.rule, found.action) == (old.since, old.rule, old.action)


def _remaining(kept: KeptAlive | None, now: datetime, *, used: bool) -> KeptAlive | None:
    """Return what remains of an extension; using the session resets their number."""
    if kept is None or (used and kept.until <= now):
        return None
    return msgspec.structs.replace(kept, times=0) if used and kept.times else kept
