"""Own the sessions: do what users ask, and bring what is into line with what should be.

Everything here runs in one worker thread, so nothing happens twice or at the same time.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue

import msgspec

from ..control import lifetimes
from ..control.activity_log import WeekKeeper
from ..control.activity_poller import Seen
from ..control.administration import Administrator
from ..control.board import Board
from ..control.clock import Clock
from ..control.history import HistoryKeeper
from ..control.idle import IdleKeeper
from ..core import lifecycle, names
from ..core.idle_end import told
from ..core.idleness import Event
from ..core.plans import Eviction
from ..core.scheduling import plan
from ..errors import NotFound, StorageFailed, refuse
from ..model.reasons import Reason
from ..model.resources import Placement, Share
from ..model.sessions import LIVE, Goal, Session, SessionSpec
from . import processes, usage
from .config import LocalConfig
from .devices import Devices
from .folders import new_id
from .launch import reserved_args
from .outcomes import Ended
from .shim import procfs
from .starting import Starter, taken_ports
from .state import State
from .watching import Watcher

_log = logging.getLogger(__name__)
_BUSY, _FRESH, _CALM, _AGAIN = 0.04, 0.1, 0.5, 1.0
"""Seconds until the next look: while something starts or stops, while something runs that has
just begun and may fail soon, while all runs, and after a fault."""
_YOUNG = timedelta(seconds=3)
_FILE = 1.0
"""Seconds between two looks at the quota file, where there is one."""


class Engine:
    """Create, start, watch and end sessions. Every method belongs to the worker thread."""

    def __init__(self, config: LocalConfig, devices: Devices) -> None:
        self.board = Board()
        self.state = State(Path(config.state_dir), self.board)
        self.history = HistoryKeeper(config, self.board)
        self.admin = Administrator(config, self.state)
        self.clock = Clock(config.clock_rate, timedelta(seconds=config.clock_ahead))
        self.week = WeekKeeper(self.history, config.idle_interval)
        self.idle = IdleKeeper(self.board, self.clock, config.idle_interval)
        self._config = config
        self._devices = devices
        self._starter = Starter(config, self.state, devices)
        self._watcher = Watcher(config, self.state, devices, self._starter.shims)
        self.groups: set[int] = set()
        """Process groups of programs that were run inside sessions, for what they leave behind."""
        self.news: SimpleQueue[str] = SimpleQueue()
        """What owners who are away should hear: that a session is about to be ended, or was."""
        self._admitted = 0
        self._again: datetime | None = None
        """When another round could decide more although nothing has happened."""
        self._measured = 0.0

    def open(self) -> None:
        """Load the state; what still runs is adopted at the first step.

        Raises StorageFailed, VersionMismatch.
        """
        procfs.become_subreaper()
        self.state.open()
        self.admin.open(self._devices.read())

    def close(self) -> None:
        """Let go of everything; the sessions run on."""
        self.week.flush(int(self.clock.now().timestamp()))
        self.history.close()
        self.state.close()
        self._devices.close()

    def step(self) -> float | None:
        """Look at everything once; tell after how many seconds to look again, None for never."""
        kept = self.state.retry()
        faults = []
        for session in self.board.sessions:
            if session.state in LIVE:
                try:
                    self._watcher.look(session)
                except OSError as error:  # of one folder: the others are looked after all the same
                    faults.append(error)
        for group in list(self.groups):
            if not processes.reap_group(group):
                self.groups.discard(group)
        self._measure()
        self.admin.look()
        self._settle(lifetimes.changed(self.board, datetime.now(UTC)))
        due = self._again is not None and self._again <= datetime.now(UTC)
        if due or self._admitted != self.board.latest:
            kept = self._admit() and kept
        if self.history.due(time.time()):
            self.history.take(self.board.settings.projects, time.time())
        if faults:
            raise faults[0]
        return self._pause(kept=kept)

    def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request. Raises NameTaken, InvalidFields, StorageFailed."""
        names.check_free(spec, self.board.sessions)
        others = [s for s in self.board.sessions if s.state in LIVE]
        refuse([*reserved_args(spec), *taken_ports(spec, others)])
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
        self.state.add(session)
        self._admit()
        return self.find(session_id)

    def end(self, session_id: str, goal: Goal) -> Session:
        """Begin to stop or suspend. Raises NotFound, WrongState, StorageFailed."""
        session = self._change(
            session_id, lambda session: lifecycle.request_end(session, goal, datetime.now(UTC))
        )
        if session.state == "stopping":
            self._watcher.look(session)
        return self.find(session_id)

    def resume(self, session_id: str, base_url: str) -> Session:
        """Put it back into the queue. Raises NotFound, WrongState, StorageFailed."""

        def again(session: Session) -> Session:
            queued = lifecycle.request_resume(session, datetime.now(UTC))
            spec = msgspec.structs.replace(queued.spec, base_url=base_url or queued.spec.base_url)
            return msgspec.structs.replace(queued, spec=spec)

        self._change(session_id, again)
        self._admit()
        return self.find(session_id)

    def resize(self, session_id: str, share: Share) -> Session:
        """Queue it with another share. Raises NotFound, WrongState, StorageFailed."""
        session = self._change(
            session_id, lambda session: lifecycle.request_resize(session, share, datetime.now(UTC))
        )
        if session.state == "stopping":
            self._watcher.look(session)
        self._admit()
        return self.find(session_id)

    def delete(self, session_id: str) -> None:
        """Forget it with its files. Raises NotFound, WrongState, StorageFailed."""
        session = self.find(session_id)
        lifecycle.check_deletable(session)
        self.state.remove(session)

    def ready(self, session_id: str, run: int, problem: str) -> None:
        """Hear that the Jupyter Server of a run answers, or that it must not be shown."""
        session = self.board.by_id.get(session_id)
        if session is None or session.run != run or session.state != "starting":
            return  # it was stopped meanwhile
        if problem:
            self._watcher.give_up(session, Reason(code="StartFailed", message=problem))
        else:
            self._watcher.ready(session, "Answering on its ingress")

    def take(self, seen: Seen) -> None:
        """Hear what was seen of the sessions' activity."""
        self._settle(self.idle.take(seen))
        self.week.take(self.idle.looks(), int(self.clock.now().timestamp()))

    def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep an idle session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        self.state.save(self.idle.keep_alive(self.find(session_id), span))
        return self.find(session_id)

    def find(self, session_id: str) -> Session:
        """Find a session. Raises NotFound."""
        if session_id not in self.board.by_id:
            raise NotFound(
                f"There is no session with the id {session_id!r}.",
                hint="It may have been deleted; list the sessions again.",
            )
        return self.board.by_id[session_id]

    def _change(self, session_id: str, change: Callable[[Session], Session]) -> Session:
        session = self.find(session_id)
        changed = change(session)
        if changed != session:
            self.state.save(changed)
        return self.find(session_id)

    def _admit(self) -> bool:
        """Play a round and do what it decides; false if the disk forbade a start."""
        self._admitted = self.board.latest
        decided = plan(self.board.situation(datetime.now(UTC)))
        self._again = decided.again
        if not all(map(self._reclaim, decided.evictions)):
            return False
        for decision in decided.decisions:
            session = self.find(decision.session)
            if isinstance(decision.outcome, Placement):
                if not self._start(session, decision.outcome):
                    return False
            else:
                self._wait(session, decision.outcome, decision.ahead + 1)
        return True

    def _reclaim(self, eviction: Eviction) -> bool:
        try:
            session = self._change(
                eviction.session,
                lambda found: lifecycle.request_requeue(found, eviction.reclaim, eviction.reason),
            )
        except StorageFailed as error:
            return self._put_off(error)
        self._watcher.look(session)
        return True

    def _wait(self, session: Session, reason: Reason, place: int) -> None:
        if (session.reason, session.place_in_line) != (reason, place):
            waiting = msgspec.structs.replace(session, reason=reason, place_in_line=place)
            self.state.note(waiting)

    def _start(self, session: Session, placement: Placement) -> bool:
        try:
            problem = self._starter.start(session, placement)
        except StorageFailed as error:
            return self._put_off(error)
        if problem:
            self._watcher.conclude(self.find(session.id), Ended("unstarted", detail=problem))
        return True

    def _put_off(self, error: StorageFailed) -> bool:
        """Say what the disk forbade, and play the round again later."""
        self.state.fail(error)
        self._admitted = 0
        return False

    def _measure(self) -> None:
        """Look at the devices from time to time, while there is a reason to."""
        wanted = self.board.watched or any(s.state in LIVE for s in self.board.sessions)
        due = time.monotonic() - self._measured >= self._config.poll_interval
        if not (self._devices.measured and wanted and due):
            return
        self._measured = time.monotonic()
        inventory = self._devices.read()
        self.admin.see(inventory)
        for session in usage.measured(self.board.sessions, inventory):
            keep = usage.higher(self.find(session.id), session)
            (self.state.settle if keep else self.state.note)(session)

    def _settle(self, changed: Iterable[tuple[Session, Event]]) -> None:
        """Keep what became of sessions, begin to end those that have to, and tell of both."""
        for session, event in list(changed):
            self.state.settle(session)
            if event:
                self.news.put(told(session))
            if session.state == "stopping":
                self._watcher.look(self.find(session.id))

    def _pause(self, *, kept: bool) -> float | None:
        states = {session.state for session in self.board.sessions}
        if states & {"starting", "stopping"}:
            return _BUSY
        if not kept:
            return _AGAIN
        if self._admitted != self.board.latest:
            return _BUSY
        if "running" in states:
            recent = datetime.now(UTC) - _YOUNG
            young = any(s.state == "running" and s.since > recent for s in self.board.sessions)
            return _FRESH if young else _CALM
        pauses = [self._config.poll_interval] if self._devices.measured or self._again else []
        if "waiting" in states:
            pauses.append(self.history.pause(time.time()))
        if self.admin.path:
            pauses.append(_FILE)
        return min(pauses, default=None)
