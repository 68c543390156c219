"""Execute users' commands and reconcile sessions with their desired state.

Everything here runs in one worker thread, so operations never overlap.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import SimpleQueue

import msgspec

from ..core import lifecycle, names
from ..core.idle.decide import Event, Reading
from ..core.idle.endings import notice
from ..core.idle.replay import Stretch
from ..errors import refuse
from ..model.ending import PageReport
from ..model.messages.build import message
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import LIVE, Goal, Session, SessionSpec
from ..model.volumes.mounts import Mount
from .administration import Administrator
from .board import Board
from .clock import Clock
from .ending.supervisor import SessionSupervisor
from .idle.lifetimes import Lifetimes
from .idle.monitor import IdleMonitor
from .new_session import new_session
from .runtime import Runner, SessionStore
from .scheduler import Scheduler

_YOUNG = timedelta(seconds=3)
_FILE = 1.0
"""Seconds between two checks of the quota file, where there is one."""
_WARNED = 5.0
"""Seconds between two steps while there are warnings: an admin may have fixed the cause."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the next step.

    `busy` while a session starts or stops, `fresh` while one has just started and may fail soon,
    `calm` while all are running, `again` after a fault, `poll` between two readings of the devices,
    None where these do not change.
    """

    busy: float = 0.04
    fresh: float = 0.1
    calm: float = 0.5
    again: float = 1.0
    poll: float | None = None


class Worker:
    """Acts on sessions. Every method runs in the worker thread."""

    def __init__(
        self,
        board: Board,
        store: SessionStore,
        runner: Runner,
        admin: Administrator,
        clock: Clock,
        idle: IdleMonitor,
        supervisor: SessionSupervisor,
        pace: Pace,
    ) -> None:
        self.board = board
        self.admin = admin
        self.idle = idle
        self.notifications: SimpleQueue[str] = SimpleQueue()
        """Messages for owners: a session is about to be ended, or was."""
        self._store = store
        self._runner = runner
        self._clock = clock
        self._pace = pace
        self._lifetimes = Lifetimes(board)
        self._supervisor = supervisor
        self._scheduler = Scheduler(board, store, runner, supervisor)

    def open(self) -> None:
        """Load the state; the first step adopts running sessions.

        Raises StorageFailed, VersionMismatch.
        """
        try:
            database = self._store.open()
            self.admin.open(database, self._runner.open())
        except BaseException:
            self._store.close()
            raise
        self._warn()

    def close(self) -> None:
        """Release all resources; sessions keep running."""
        self._store.close()
        self._runner.close()

    def step(self) -> float | None:
        """Do all periodic work once; return the seconds until the next step, None for never."""
        kept = self._store.retry()
        faults = list(self._supervise())
        if found := self._runner.measure():
            self.admin.show_devices(found)
        self.admin.refresh()
        now = datetime.now(UTC)
        self._settle(self._lifetimes.check(now, time.monotonic()))
        if self._scheduler.due(now):
            kept = self._scheduler.run() and kept
        self._warn()
        if faults:
            raise faults[0]
        return self._pause(kept=kept)

    def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request. Raises NameTaken, InvalidFields, StorageFailed."""
        names.check_free(spec, self.board.sessions)
        self._check(spec)
        session = new_session(spec, owner, datetime.now(UTC), session_id)
        self._store.add(session)
        self._scheduler.run()
        return self.board.find(session.id)

    def end(self, session_id: str, goal: Goal, why: Reason | None = None) -> Session:
        """Begin to stop or suspend a session, even on a full disk, because that frees space.

        Raises NotFound, WrongState.
        """
        change = partial(lifecycle.request_end, goal=goal, now=datetime.now(UTC), why=why)
        self._change(session_id, change, self._store.settle)
        return self.board.find(session_id)

    def resume(self, session_id: str, base_url: str) -> Session:
        """Put a session back into the queue. Raises as `create`, and NotFound, WrongState."""

        def again(session: Session) -> Session:
            queued = lifecycle.request_resume(session, datetime.now(UTC))
            self._check(queued.spec)
            spec = msgspec.structs.replace(queued.spec, base_url=base_url or queued.spec.base_url)
            return msgspec.structs.replace(queued, spec=spec)

        self._change(session_id, again)
        self._scheduler.run()
        return self.board.find(session_id)

    def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and volumes besides those that it has.

        Raises NotFound, WrongState, StorageFailed, and InvalidFields if these cannot be mounted.
        """

        def sized(session: Session) -> Session:
            queued = lifecycle.request_resize(session, share, datetime.now(UTC), added)
            if added:  # its ports are its own
                self._check(msgspec.structs.replace(queued.spec, ports=()))
            return queued

        self._change(session_id, sized)
        self._scheduler.run()
        return self.board.find(session_id)

    def delete(
        self, session_id: str, check: Callable[[Session], None] = lifecycle.check_deletable
    ) -> None:
        """Delete a session and its files. Raises NotFound, StorageFailed, and as `check`."""
        session = self.board.find(session_id)
        check(session)
        self._store.remove(session)

    def ready(self, session_id: str, run: int, problem: Reason | None) -> None:
        """Publish that the server of a run is ready, or end it if it must not be shown."""
        session = self.board.by_id.get(session_id)
        if session is None or session.run != run or session.state != "starting":
            return  # it was stopped meanwhile
        if problem:
            self._runner.give_up(session, problem)
        else:
            self._runner.ready(session, message("progress.ready"))

    def record_activity(self, readings: Mapping[str, Sequence[Reading]]) -> list[Stretch]:
        """Act on the readings of the sessions' activity; return the observations to record."""
        self._settle(self.idle.record(readings))
        return list(self.idle.observations())

    def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep an idle session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        self._store.save(self.idle.keep_alive(self.board.find(session_id), span))
        return self.board.find(session_id)

    def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page. Raises NotFound."""
        self._supervisor.put_page(self.board.find(session_id), page, report)

    def _check(self, spec: SessionSpec) -> None:
        """Raise InvalidFields if a request cannot run now."""
        live = [s for s in self.board.sessions if s.state in LIVE]
        refuse(self._runner.check(spec, live))

    def _change(
        self,
        session_id: str,
        change: Callable[[Session], Session],
        keep: Callable[[Session], None] | None = None,
    ) -> None:
        session = self.board.find(session_id)
        changed = change(session)
        if changed != session:
            (keep or self._store.save)(changed)
        if changed.state == "stopping":
            self._supervisor.supervise(self.board.find(session_id))

    def _supervise(self) -> Iterable[OSError]:
        """Supervise every live session; an error with one does not affect the others."""
        for session in self.board.sessions:
            if session.state in LIVE:
                try:
                    self._supervisor.supervise(session)
                except OSError as error:
                    yield error
        self._supervisor.forget_pages()
        try:
            self._runner.step()
        except OSError as error:
            yield error

    def _settle(self, changed: Iterable[tuple[Session, Event]]) -> None:
        """Store changed sessions, begin to end those that have to, and queue notifications."""
        for session, event in list(changed):
            self._store.settle(session)
            if event:
                self.notifications.put(notice(session))
            if session.state == "stopping":
                self._supervisor.supervise(self.board.find(session.id))

    def _warn(self) -> None:
        self.board.warn("state", self._store.warnings())
        self.board.warn("settings", self.admin.warnings())

    def _pause(self, *, kept: bool) -> float | None:
        # A session that waits for its pages to save is woken by their reports.
        sessions, pace = self.board.sessions, self._pace
        states = {"running" if session.is_saving else session.state for session in sessions}
        if states & {"starting", "stopping"}:
            return pace.busy
        if not kept:
            return pace.again
        if not self._scheduler.settled:
            return pace.busy
        now = datetime.now(UTC)
        if "running" in states:
            recent = now - _YOUNG
            young = any(s.state == "running" and s.since > recent for s in sessions)
            return pace.fresh if young else pace.calm
        pauses = (
            pace.poll,
            self._scheduler.pause(now),
            _FILE if self.admin.path else None,
            _WARNED if self.board.warnings() else None,
        )
        return min((pause for pause in pauses if pause is not None), default=None)
