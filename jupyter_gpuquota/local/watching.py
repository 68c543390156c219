"""Look at a live session: has it begun, does it end, has it ended?"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..core.idle_end import BY_POLICY
from ..core.lifecycle import move, note
from ..core.policy import rule_for, subject_of
from ..model.reasons import Reason
from ..model.sessions import Session
from . import logs, processes
from .config import LocalConfig
from .devices import Devices
from .folders import Launch, Leader
from .outcomes import LINES, Ended, conclude
from .shim import files, procfs
from .state import State

LEFTOVER_GRACE = 2.0
"""Seconds that what a session left behind has to end by itself."""


@dataclass(slots=True)
class _Watch:
    """Remember what was seen of one run; a new controller begins anew."""

    run: int
    begun: float
    stopping: float = 0.0
    asked: float = 0.0
    clearing: float = 0.0
    limits_lifted: bool = False
    shim_status: int | None = None
    ended: Ended | None = None
    left: set[int] = field(default_factory=set)


class Watcher:
    """Follow sessions by their folders and processes. Works in the worker thread.

    `shims` maps a session to the shim that was started for it in this life of the controller.
    """

    def __init__(
        self, config: LocalConfig, state: State, devices: Devices, shims: dict[str, int]
    ) -> None:
        self._config = config
        self._state = state
        self._mps = devices.mps
        self._shims = shims
        self._watches: dict[str, _Watch] = {}

    def look(self, session: Session) -> None:
        """Find out what has become of a live session, and do what its state asks for."""
        folder = self._state.folder(session)
        watch = self._watch(session)
        kept = folder.kept()  # before its notes are read: once it is gone, none are added
        if kept and session.state == "running":
            return
        leader = folder.leader(session.run)
        if not kept and watch.ended is None:
            watch.ended = self._how(session, leader, watch)
        if watch.ended is not None:
            self._clear(session, leader, watch, watch.ended)
        elif session.state == "stopping":
            self._end(session, leader, watch)
        elif session.state == "starting":
            self._begin(session, leader, watch)

    def ready(self, session: Session, message: str) -> None:
        """Say that a starting session is up."""
        now = datetime.now(UTC)
        running = note(move(session, "running", now), message, now)
        self._state.settle(running)

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that starts wrongly; it fails for this reason once it has gone."""
        ending = move(session, "stopping", datetime.now(UTC), reason)
        self._state.settle(ending)

    def conclude(self, session: Session, ended: Ended) -> None:
        """Note what has become of a session of which nothing is left."""
        self._watches.pop(session.id, None)
        now = datetime.now(UTC)
        if ended.how == "never" and session.state == "starting":
            session = move(session, "waiting", now)
        else:
            lines = self._last_lines(session, LINES)
            session = conclude(session, ended, lines, now)
        self._state.folder(session).forget()
        self._state.settle(session)

    def _last_lines(self, session: Session, lines: int) -> tuple[str, ...]:
        """Return the last lines that this run of a session has printed."""
        folder = self._state.folder(session)
        launch = folder.launch(session.run)
        return logs.last_lines(folder.path, lines, launch.log_from if launch else 0)

    def _watch(self, session: Session) -> _Watch:
        watch = self._watches.get(session.id)
        if watch is None or watch.run != session.run:
            watch = _Watch(run=session.run, begun=time.monotonic())
            self._watches[session.id] = watch
        return watch

    def _how(self, session: Session, leader: Leader | None, watch: _Watch) -> Ended | None:
        """Say how a session ended that no shim keeps; None if it lives on without one."""
        folder = self._state.folder(session)
        if shim_pid := self._shims.get(session.id, 0):
            watch.shim_status = processes.reap(shim_pid)
            if watch.shim_status is None and folder.path.exists():
                return None  # it is just leaving
            del self._shims[session.id]
        if found := folder.exit(session.run):
            at = datetime.fromtimestamp(found.at, UTC)
            return Ended("seen", found.code, found.signal, at)
        if leader is None:
            return self._without_leader(folder.launch(session.run), watch)
        if processes.alive(leader):
            with contextlib.suppress(OSError):  # no room now: it is tried again at the next look
                files.rotate(folder.path, self._config.log_bytes, self._config.log_files)
            return None
        if leader.boot != procfs.boot_id():
            return Ended("restarted")
        code = processes.exit_of_child(leader)
        return Ended("unknown") if code is None else Ended("seen", *code)

    def _without_leader(self, launch: Launch | None, watch: _Watch) -> Ended:
        if launch and launch.boot != procfs.boot_id():
            return Ended("restarted")
        if watch.shim_status is None:
            return Ended("never")
        status = watch.shim_status
        detail = os.strerror(status) if status > 0 else "its shim was killed"
        return Ended("unstarted", detail=f"{detail}.")

    def _clear(self, session: Session, leader: Leader | None, watch: _Watch, ended: Ended) -> None:
        """End what a session left behind that has no shim to do it, then conclude."""
        left = processes.members(session.id, leader)
        watch.left |= left
        if not left:
            for pid in watch.left:
                processes.reap_if_child(pid)
            self.conclude(session, ended)
        elif not watch.clearing:
            watch.clearing = time.monotonic()
            processes.send(left, signal.SIGTERM)
        elif time.monotonic() - watch.clearing > LEFTOVER_GRACE:
            processes.send(left, signal.SIGKILL)

    def _begin(self, session: Session, leader: Leader | None, watch: _Watch) -> None:
        if not session.spec.serves_jupyter:
            if leader and processes.started(leader):
                self.ready(session, "Running")
            return
        if time.monotonic() - watch.begun > self._config.start_timeout:
            lines = self._last_lines(session, 1)
            message = f"It did not answer within {self._config.start_timeout:g} seconds."
            hint = "Its log may say why; LocalConfig.start_timeout may be raised."
            raw = lines[-1] if lines else ""
            self.give_up(session, Reason(code="StartTimeout", message=message, hint=hint, raw=raw))

    def _end(self, session: Session, leader: Leader | None, watch: _Watch) -> None:
        """Ask a session to end; after the grace, kill all of it until nothing is left."""
        now = time.monotonic()
        watch.stopping = watch.stopping or now
        if leader is None:
            # Its shim is about to start it, or hangs: then only the shim itself can be ended.
            if now - watch.stopping > self._config.stop_grace and session.id in self._shims:
                processes.send({self._shims[session.id]}, signal.SIGKILL)
        elif not watch.asked:
            watch.asked = now
            processes.ask_to_end(leader)
        elif now - watch.asked > self._grace(session):
            found = processes.members(session.id, leader)
            isolation = session.isolation
            if isolation and isolation.scope == "process" and not watch.limits_lifted:
                watch.limits_lifted = True
                self._mps.end_clients(found)
            processes.send(found, signal.SIGKILL)

    def _grace(self, session: Session) -> float:
        """Tell how many seconds a session has to save and end by itself, by why it ends."""
        settings = self._state.board.settings
        if session.goal == "requeue":
            return settings.rules.grace
        if session.reason and session.reason.code in BY_POLICY:
            project = next((p for p in settings.projects if p.name == session.spec.project), None)
            whose = subject_of(session)
            return rule_for(settings.policy, whose, project, session.since).limits.grace
        return self._config.stop_grace
