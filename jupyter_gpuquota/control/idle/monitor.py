"""Track the activity of sessions, detect idle ones, warn, and act by the policy.

It runs in the worker thread. Tracks between readings are in memory; state that has to outlive the
controller is part of the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from ...core.idle import decide, endings
from ...core.idle.decide import Event, Reading, Track
from ...core.idle.policy import Limits, Ruling, subject_of
from ...core.idle.replay import Stretch
from ...core.lifecycle import note
from ...errors import WrongState
from ...model.idleness import Activity, Idleness, KeptAlive
from ...model.sessions import Session
from ..board import Board
from ..clock import Clock

_MISSED_FOR = timedelta(days=1)
_SHOWN = timedelta(minutes=1)
"""Idle time before a session is shown as idle: short pauses are normal while working."""


class IdleMonitor:
    """Tracks which sessions are idle. `interval` is the seconds between two activity checks."""

    def __init__(self, board: Board, clock: Clock, interval: int) -> None:
        self.interval = interval
        self._board = board
        self._clock = clock
        self._every = timedelta(seconds=interval)
        self._tracks: dict[tuple[str, int], Track] = {}

    def limits(self) -> dict[str, Limits]:
        """Map every running session to its limits."""
        return {s.id: self.ruling(s).limits for s in self._running()}

    def record(self, readings: Mapping[str, Sequence[Reading]]) -> Iterator[tuple[Session, Event]]:
        """Record readings; yield the sessions that change, and the event."""
        now = self._clock.now()
        known = {}
        for session in self._running():
            key, found = (session.id, session.run), readings.get(session.id)
            before = self._tracks.get(key) or decide.resume(session.idle, session.kept, now)
            if found is None:  # it started after the readings
                known[key] = before
                continue
            ruling = self.ruling(session)
            track, event = decide.observe(before, found, ruling, now, self._every)
            known[key] = track
            changed = _changed(session, track, event, now)
            if changed.state == "running":
                why = decide.unmeasured(before, track, ruling)
                changed = msgspec.structs.replace(changed, unmeasured=why)
            if changed != session:
                yield changed, event
        self._tracks = known

    def activity(self, session: Session) -> Activity:
        """Return a session's observed activity. Raises WrongState for one that is not running."""
        session, now = _running(session), self._clock.now()
        track = self._tracks.get((session.id, session.run))
        if track is None:
            return Activity(session=session.id, at=now, signals=(), idle=session.idle, looked=False)
        return Activity(session=session.id, at=track.looked, signals=track.signals, idle=track.idle)

    def keep_alive(self, session: Session, span: int) -> Session:
        """Return the session, kept alive for `span` seconds; 0 is the policy's default.

        Raises WrongState for one that is not running, NotAllowed beyond the policy.
        """
        session, now = _running(session), self._clock.now()
        limits = self.ruling(session).limits
        decide.check_keep_alive(session, span, limits)
        kept = decide.keep_alive(session.kept, span or limits.keep_alive, now, session.idle)
        if track := self._tracks.get((session.id, session.run)):
            changed = Track(track.looked, track.signals, _put_off(track.idle, kept), kept)
            self._tracks[session.id, session.run] = changed
        return msgspec.structs.replace(session, kept=kept, idle=_put_off(session.idle, kept))

    def observations(self) -> Iterator[Stretch]:
        """Yield the last observations, as stretches of zero length, to be recorded.

        A session that was ended for being idle would, without a policy, still be idle: that is
        recorded for a day, so that a policy that ends it later is judged by the same week.
        """
        now = self._clock.now()
        for session in self._board.sessions:
            track = self._tracks.get((session.id, session.run))
            if session.state == "running" and track and track.signals:
                yield _stretch(session, track, int(now.timestamp()))
            elif _ended_idle(session) and now - self._clock.at(session.since) < _MISSED_FOR:
                yield _resting(session, int(now.timestamp()))

    def ruling(self, session: Session) -> Ruling:
        """Return what the policy means for a session now."""
        return self._board.settings.ruling(session, self._clock.now())

    def _running(self) -> Iterator[Session]:
        return (s for s in self._board.sessions if s.state == "running")


def _running(session: Session) -> Session:
    if session.state != "running":
        raise WrongState(f"{session.spec.name} is {session.state}, not running.")
    return session


def _put_off(idle: Idleness | None, kept: KeptAlive) -> Idleness | None:
    """Return idleness whose action is postponed to the end of keep-alive, with a new warning."""
    if idle is None or idle.acts is None:
        return idle
    return msgspec.structs.replace(idle, acts=max(idle.acts, kept.until), warned=None)


def _changed(session: Session, track: Track, event: Event, now: datetime) -> Session:
    """Return the session with its visible idleness, and ended if the event says so."""
    shown = track.idle if track.idle and _worth(track.idle, now) else None
    session = msgspec.structs.replace(session, idle=shown, kept=track.kept)
    if event == "warn" and shown:
        return note(session, endings.warning_of(shown), now)
    if event == "act" and track.idle:
        return endings.end(session, track.idle, track.signals, now)
    return session


def _worth(idle: Idleness, now: datetime) -> bool:
    return idle.warned is not None or now - idle.since >= _SHOWN


def _ended_idle(session: Session) -> bool:
    code = session.reason.code if session.reason else ""
    return session.state in {"suspended", "stopped"} and code in endings.IDLE


def _resting(session: Session, now: int) -> Stretch:
    return Stretch(subject_of(session), begin=now, end=now, idle=True)


def _stretch(session: Session, track: Track, now: int) -> Stretch:
    """Return an observation as it is recorded: short pauses count as use."""
    idle = all(signal.state == "idle" for signal in track.signals)
    since = max(signal.last for signal in track.signals)
    gpu = next((s.state for s in track.signals if s.name == "gpu"), None)
    return Stretch(
        subject=subject_of(session),
        begin=now,
        end=now,
        idle=idle and track.looked - since >= _SHOWN,
        gpu="" if gpu is None else "idle" if gpu == "idle" else "busy",
    )
