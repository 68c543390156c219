"""Follow how sessions are used, tell who is idle, warn, and act as the policy says.

It belongs to the worker thread. What is known of a session from look to look is in memory; what
has to outlive the controller stands in the session itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import msgspec

from ..core import idle_end, idleness
from ..core.idle_week import Stretch
from ..core.idleness import Event, Reading, Track
from ..core.lifecycle import note
from ..core.policy import Limits, Ruling, rule_for, subject_of
from ..errors import WrongState
from ..model.idleness import Activity, Idleness, KeptAlive
from ..model.sessions import Session
from .board import Board
from .clock import Clock

_MISSED_FOR = timedelta(days=1)
_SHOWN = timedelta(minutes=1)
"""How long a session is idle before that is shown: whoever works pauses now and then."""


class IdleKeeper:
    """Know which sessions are idle. `every` is the seconds between two looks."""

    def __init__(self, board: Board, clock: Clock, every: float) -> None:
        self._board = board
        self._clock = clock
        self._every = timedelta(seconds=every)
        self._tracks: dict[tuple[str, int], Track] = {}

    def limits(self) -> dict[str, Limits]:
        """Map every session that has to be looked at to what its policy comes to."""
        return {s.id: self._ruling(s).limits for s in self._running()}

    def take(self, seen: Mapping[str, Sequence[Reading]]) -> Iterator[tuple[Session, Event]]:
        """Take in what a look has found; yield the sessions that change, and what happens."""
        now = self._clock.now()
        known = {}
        for session in self._running():
            key, readings = (session.id, session.run), seen.get(session.id)
            before = self._tracks.get(key) or self._resumed(session, now)
            if readings is None:  # it began after the look did
                known[key] = before
                continue
            ruling = self._ruling(session)
            track, event = idleness.look(before, readings, ruling, now, self._every)
            known[key] = track
            changed = _changed(session, track, event, now)
            if changed != session:
                yield changed, event
        self._tracks = known

    def activity(self, session: Session) -> Activity:
        """Return what is known of a session. Raises WrongState for one that does not run."""
        session, now = _running(session), self._clock.now()
        track = self._tracks.get((session.id, session.run))
        if track is None:
            return Activity(session=session.id, at=now, signals=(), idle=session.idle, looked=False)
        return Activity(session=session.id, at=track.looked, signals=track.signals, idle=track.idle)

    def keep_alive(self, session: Session, span: int) -> Session:
        """Return the session as it is kept alive for `span` seconds; 0: the usual.

        Raises WrongState for one that does not run, NotAllowed beyond what the policy allows.
        """
        session, now = _running(session), self._clock.now()
        limits = self._ruling(session).limits
        idleness.check_keep_alive(session, span, limits)
        kept = idleness.keep_alive(session.kept, span or limits.keep_alive, now, session.idle)
        if track := self._tracks.get((session.id, session.run)):
            changed = Track(track.looked, track.signals, _put_off(track.idle, kept), kept)
            self._tracks[session.id, session.run] = changed
        return msgspec.structs.replace(session, kept=kept, idle=_put_off(session.idle, kept))

    def looks(self) -> Iterator[Stretch]:
        """Yield what the last look found, as stretches of no length, to be recorded.

        Whoever was ended for being idle would still be idle, and hold its share, without a policy:
        that is recorded for a day, so that policies are compared on the same week.
        """
        now = self._clock.now()
        for session in self._board.sessions:
            track = self._tracks.get((session.id, session.run))
            if session.state == "running" and track and track.signals:
                yield _stretch(session, track, int(now.timestamp()))
            elif _ended_idle(session) and now - self._clock.at(session.since) < _MISSED_FOR:
                yield _resting(session, int(now.timestamp()))

    def ruling(self, session: Session) -> Ruling:
        """Return what the policy comes to for a session now."""
        return self._ruling(session)

    def _running(self) -> Iterator[Session]:
        return (s for s in self._board.sessions if s.state == "running")

    def _ruling(self, session: Session) -> Ruling:
        settings = self._board.settings
        project = next((p for p in settings.projects if p.name == session.spec.project), None)
        return rule_for(settings.policy, subject_of(session), project, self._clock.now())

    def _resumed(self, session: Session, now: datetime) -> Track:
        return idleness.resume(session.idle, session.kept, now)


def _running(session: Session) -> Session:
    if session.state != "running":
        raise WrongState(f"{session.spec.name} is {session.state}: only a running one is used.")
    return session


def _put_off(idle: Idleness | None, kept: KeptAlive) -> Idleness | None:
    """Return idleness that is acted on when keeping alive ends, after a new warning."""
    if idle is None or idle.acts is None:
        return idle
    return msgspec.structs.replace(idle, acts=max(idle.acts, kept.until), warned=None)


def _changed(session: Session, track: Track, event: Event, now: datetime) -> Session:
    """Return the session with what has to be seen of its idleness."""
    shown = track.idle if track.idle and _worth(track.idle, now) else None
    session = msgspec.structs.replace(session, idle=shown, kept=track.kept)
    if event == "warn" and shown:
        return note(session, idle_end.warning_of(session, shown), now)
    if event == "act" and track.idle:
        return idle_end.end(session, track.idle, track.signals, now)
    return session


def _worth(idle: Idleness, now: datetime) -> bool:
    return idle.warned is not None or now - idle.since >= _SHOWN


def _ended_idle(session: Session) -> bool:
    code = session.reason.code if session.reason else ""
    return session.state in {"suspended", "stopped"} and code in idle_end.IDLE


def _resting(session: Session, now: int) -> Stretch:
    whose, milli = subject_of(session), session.spec.share.milli
    return Stretch(subject=whose, milli=milli, begin=now, end=now, idle=True)


def _stretch(session: Session, track: Track, now: int) -> Stretch:
    """Return a look as it is recorded: short pauses are use."""
    idle = all(signal.state == "idle" for signal in track.signals)
    since = max(signal.last for signal in track.signals)
    gpu = next((s.state for s in track.signals if s.name == "gpu"), None)
    return Stretch(
        subject=subject_of(session),
        milli=session.placement.milli if session.placement else 0,
        begin=now,
        end=now,
        idle=idle and track.looked - since >= _SHOWN,
        gpu="" if gpu is None else "idle" if gpu == "idle" else "busy",
    )
