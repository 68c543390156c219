"""Execute users' commands and reconcile sessions with their desired state.

Everything here runs in one worker thread, so nothing happens twice or at the same time.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from queue import SimpleQueue

import msgspec

from ..core import lifecycle, names
from ..core.idle_end import told
from ..core.idle_week import Stretch
from ..core.idleness import Event, Reading
from ..errors import refuse
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import LIVE, Goal, Session, SessionSpec
from . import lifetimes
from .administration import Administrator
from .board import Board
from .clock import Clock
from .idle import IdleKeeper
from .runtime import Runner, SessionStore
from .scheduler import Scheduler

_YOUNG = timedelta(seconds=3)
_FILE = 1.0
"""Seconds between two looks at the quota file, where there is one."""
_WARNED = 5.0
"""Seconds until what was wrong is looked at again: an admin may have put it right."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the next look.

    `busy` while something starts or stops, `fresh` while something runs that has just begun and
    may fail soon, `calm` while all runs, `again` after a fault, `poll` between two looks at the
    devices, None where these do not change.
    """

    busy: float = 0.04
    fresh: float = 0.1
    calm: float = 0.5
    again: float = 1.0
    poll: float | None = None


class Worker:
    """What acts on sessions. Every method belongs to the worker thread."""

    def __init__(
        self,
        board: Board,
        store: SessionStore,
        runner: Runner,
        admin: Administrator,
        clock: Clock,
        idle: IdleKeeper,
        pace: Pace,
    ) -> None:
        self.board = board
        self.admin = admin
        self.idle = idle
        self.news: SimpleQueue[str] = SimpleQueue()
        """What owners who are away should hear: that a session is about to be ended, or was."""
        self._store = store
        self._runner = runner
        self._clock = clock
        self._pace = pace
        self._scheduler = Scheduler(board, store, runner)

    def open(self) -> None:
        """Load the state; what still runs is adopted at the first step.

        Raises StorageFailed, VersionMismatch.
        """
        database = self._store.open()
        self.admin.open(database, self._runner.open())
        self._warn()

    def close(self) -> None:
        """Let go of everything; the sessions run on."""
        self._store.close()
        self._runner.close()

    def step(self) -> float | None:
        """Look at everything once; return after how many seconds to look again, None for never."""
        kept = self._store.retry()
        faults = list(self._look())
        if found := self._runner.measure():
            self.admin.see(found)
        self.admin.look()
        now = datetime.now(UTC)
        self._settle(lifetimes.changed(self.board, now))
        if self._scheduler.due(now):
            kept = self._scheduler.play() and kept
        self._warn()
        if faults:
            raise faults[0]
        return self._pause(kept=kept)

    def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request. Raises NameTaken, InvalidFields, StorageFailed."""
        names.check_free(spec, self.board.sessions)
        live = [s for s in self.board.sessions if s.state in LIVE]
        refuse(self._runner.check(spec, live))
        now, session_id = datetime.now(UTC), new_id()
        session = Session(
            id=session_id,
            spec=spec,
            owner=owner,
            state="waiting",
            since=now,
            created=now,
            path=f"gpuquota/s/{session_id}/",
        )
        self._store.add(session)
        self._scheduler.play()
        return self.board.find(session_id)

    def end(self, session_id: str, goal: Goal) -> Session:
        """Begin to stop or suspend. Raises NotFound, WrongState, StorageFailed."""
        self._change(session_id, lambda s: lifecycle.request_end(s, goal, datetime.now(UTC)))
        return self.board.find(session_id)

    def resume(self, session_id: str, base_url: str) -> Session:
        """Put it back into the queue. Raises NotFound, WrongState, StorageFailed."""

        def again(session: Session) -> Session:
            queued = lifecycle.request_resume(session, datetime.now(UTC))
            spec = msgspec.structs.replace(queued.spec, base_url=base_url or queued.spec.base_url)
            return msgspec.structs.replace(queued, spec=spec)

        self._change(session_id, again)
        self._scheduler.play()
        return self.board.find(session_id)

    def resize(self, session_id: str, share: Share) -> Session:
        """Queue it with another share. Raises NotFound, WrongState, StorageFailed."""
        self._change(session_id, lambda s: lifecycle.request_resize(s, share, datetime.now(UTC)))
        self._scheduler.play()
        return self.board.find(session_id)

    def delete(self, session_id: str) -> None:
        """Forget it with its files. Raises NotFound, WrongState, StorageFailed."""
        session = self.board.find(session_id)
        lifecycle.check_deletable(session)
        self._store.remove(session)

    def ready(self, session_id: str, run: int, problem: str) -> None:
        """Take note that the server of a run answers, or why it must not be shown."""
        session = self.board.by_id.get(session_id)
        if session is None or session.run != run or session.state != "starting":
            return  # it was stopped meanwhile
        if problem:
            self._runner.give_up(session, Reason(code="StartFailed", message=problem))
        else:
            self._runner.ready(session, "Answering on its ingress")

    def take(self, seen: Mapping[str, Sequence[Reading]]) -> list[Stretch]:
        """Act on what was seen of the sessions' activity; return what is to be recorded of it."""
        self._settle(self.idle.take(seen))
        return list(self.idle.looks())

    def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep an idle session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        self._store.save(self.idle.keep_alive(self.board.find(session_id), span))
        return self.board.find(session_id)

    def _change(self, session_id: str, change: Callable[[Session], Session]) -> None:
        session = self.board.find(session_id)
        changed = change(session)
        if changed != session:
            self._store.save(changed)
        if changed.state == "stopping":
            self._runner.look(self.board.find(session_id))

    def _look(self) -> Iterable[OSError]:
        """Look after every live session; a fault with one keeps nobody from the others."""
        for session in self.board.sessions:
            if session.state in LIVE:
                try:
                    self._runner.look(session)
                except OSError as error:
                    yield error
        try:
            self._runner.step()
        except OSError as error:
            yield error

    def _settle(self, changed: Iterable[tuple[Session, Event]]) -> None:
        """Keep what became of sessions, begin to end those that have to, and tell of both."""
        for session, event in list(changed):
            self._store.settle(session)
            if event:
                self.news.put(told(session))
            if session.state == "stopping":
                self._runner.look(self.board.find(session.id))

    def _warn(self) -> None:
        self.board.warn("state", self._store.warnings())
        self.board.warn("settings", self.admin.warnings())

    def _pause(self, *, kept: bool) -> float | None:
        pace, states = self._pace, {session.state for session in self.board.sessions}
        if states & {"starting", "stopping"}:
            return pace.busy
        if not kept:
            return pace.again
        if not self._scheduler.settled:
            return pace.busy
        now = datetime.now(UTC)
        if "running" in states:
            recent = now - _YOUNG
            young = any(s.state == "running" and s.since > recent for s in self.board.sessions)
            return pace.fresh if young else pace.calm
        pauses = (
            pace.poll,
            self._scheduler.pause(now),
            _FILE if self.admin.path else None,
            _WARNED if self.board.warnings() else None,
        )
        return min((pause for pause in pauses if pause is not None), default=None)


def new_id() -> str:
    """Make the id of a session: a letter and 55 bits of chance."""
    return "s" + base64.b32encode(secrets.token_bytes(7)).decode().lower()[:11]
