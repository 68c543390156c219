"""Observe live sessions: detect their start and end, and stop them when they have to end.

What was read about its processes is remembered. So a temporarily missing folder ends nothing, and a
shim that hangs is bypassed.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ...control.settings.settings import Settings
from ...core.ending import grace_left
from ...core.idle.endings import BY_POLICY
from ...core.lifecycle import move, note
from ...model.messages.build import message, reason
from ...model.reasons import Reason
from ...model.sessions import Session
from ...model.struct import Message
from ..config import LocalConfig
from ..folders.folders import Launch, Leader, SessionFolder
from ..gpus.devices import Devices
from ..processes import processes
from ..processes.exit_reasons import LINES, Ended, conclude
from ..processes.processes import Process
from ..shim import files, procfs
from ..state.state import State
from . import logs

LEFTOVER_GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL for processes that a session leaves."""
_MISSING = 10.0
"""Seconds to wait for a missing folder: it has the exit note."""
_NOT_BEGUN = 125
"""Exit code of a first process whose shim was killed before it let the program start."""
_TRIES = 3
"""Attempts to start a session whose shim is killed before its program starts."""


class ProcessWatcher:
    """Observes sessions by their folders and processes. Runs in the worker thread.

    `shims` maps sessions to the pids of shims started by this run of the controller.
    """

    def __init__(
        self,
        config: LocalConfig,
        state: State,
        devices: Devices,
        shims: dict[str, int],
        owners: processes.ProcessOwners,
    ) -> None:
        self._config = config
        self._state = state
        self._mps = devices.mps
        self._shims = shims
        self._owners = owners
        self._watches: dict[str, Run] = {}
        self._lost: dict[str, int] = {}
        self._troubles: dict[str, str] = {}

    def observe(self, session: Session) -> None:
        """Observe a live session, and do what its state requires."""
        watch = self._watch(session)
        missing, kept = watch.missing, watch.shim_lives()
        if missing and not watch.missing:
            self._state.settle(session)  # its folder is back, and may be a new one
        if watch.ended is None:
            watch.ended = watch.unreported_end() if kept else self._how(session, watch)
        self._troubles[session.id] = self._trouble(session, watch, kept=kept)
        leader = watch.leader
        if watch.ended is not None:
            self._clear(session, leader, watch, watch.ended)
        elif session.state == "stopping":
            self._end(session, leader, watch)
        elif session.state == "starting":
            self._begin(session, leader, watch)

    def warnings(self) -> tuple[str, ...]:
        """Return warnings about live sessions: hanging or killed shims, missing folders."""
        return tuple(text for text in self._troubles.values() if text)

    def ready(self, session: Session, step: Message) -> None:
        """Publish that a starting session is running."""
        now = datetime.now(UTC)
        running = note(move(session, "running", now), step, now)
        self._lost.pop(session.id, None)
        self._state.settle(running)

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that fails to start; it fails for this reason once it has ended."""
        ending = move(session, "stopping", datetime.now(UTC), reason)
        self._state.settle(ending)

    def conclude(self, session: Session, ended: Ended) -> None:
        """Record the end of a session without processes."""
        self._watches.pop(session.id, None)
        self._troubles.pop(session.id, None)
        self._shims.pop(session.id, None)
        now = datetime.now(UTC)
        tries = self._lost.pop(session.id, 0) + 1
        if ended.how == "not_started" and session.state == "starting" and tries < _TRIES:
            self._lost[session.id] = tries
            after = move(session, "waiting", now)
        else:
            if ended.how == "not_started":
                ended = Ended("start_failed", detail=f"its shim was killed {tries} times.")
            after = conclude(session, ended, self._last_lines(session, LINES), now)
        self._state.folder(session).forget()
        if not self._state.keep(after) and ended.how == "start_failed" and session.goal == "run":
            # No process tells of this end, so after a kill the session would be started again.
            # It is shown as what it would be then.
            after = move(session, "waiting", now)
            self._state.keep(after)
        self._state.note(after)

    def _last_lines(self, session: Session, lines: int) -> tuple[str, ...]:
        """Return the last lines of the log of a session's run."""
        folder = self._state.folder(session)
        launch = folder.launch(session.run)
        return logs.last_lines(folder.path, lines, launch.log_from if launch else 0)

    def _watch(self, session: Session) -> Run:
        watch = self._watches.get(session.id)
        if watch is None or watch.number != session.run:
            folder, shim = self._state.folder(session), self._shims.get(session.id, 0)
            watch = Run(session.id, session.run, folder, shim)
            self._watches[session.id] = watch
        return watch

    def _how(self, session: Session, watch: Run) -> Ended | None:
        """Return how a session without a shim ended; None if it runs on without one."""
        patience = math.inf if self._state.folders.held.missing() else _MISSING
        ended = watch.outcome(0.0 if session.state == "stopping" else patience)
        if ended is None and watch.leader and processes.alive(watch.leader):
            with contextlib.suppress(OSError):  # disk full: tried again next time
                files.rotate(watch.folder.path, self._config.log_bytes, self._config.log_files)
        if ended and ended.code == _NOT_BEGUN and session.state == "starting":
            return ended if watch.folder.exit(session.run) else Ended("not_started")
        return ended

    def _trouble(self, session: Session, watch: Run, *, kept: bool) -> str:
        """Return the warning about a session's shim or folder, and what to do; empty if fine."""
        name = session.spec.name
        if kept and watch.shim and watch.shim_is_stopped():
            return (
                f"The shim of {name}, process {watch.shim.pid}, was stopped by a signal: the log "
                f"of {name} is not rotated. Continue it with `kill -CONT {watch.shim.pid}`; stop "
                "and suspend work without it."
            )
        if watch.missing and watch.leader and not self._state.folders.held.missing():
            return (
                f"The folder {watch.folder.path} of {name} is missing; {name} keeps running. If "
                "the folder was moved, move it back: it contains the log."
            )
        if not kept and watch.ended is None and watch.leader and session.state == "running":
            return (
                f"The shim of {name} was killed. {name} keeps running under the controller; if "
                "that is killed, too, its exit code will be unknown."
            )
        return ""

    def _clear(self, session: Session, leader: Leader | None, watch: Run, ended: Ended) -> None:
        """End the leftover processes of a session without a shim, then conclude it."""
        left = self._owners.members(session.id, leader)
        watch.left |= left
        if not left:
            for pid in watch.left:
                processes.reap_if_child(pid)
            self.conclude(session, ended)
        elif not watch.clearing:
            watch.clearing = time.monotonic()
            processes.send_signal(left, signal.SIGTERM)
        elif time.monotonic() - watch.clearing > LEFTOVER_GRACE:
            processes.send_signal(left, signal.SIGKILL)

    def _begin(self, session: Session, leader: Leader | None, watch: Run) -> None:
        if leader and not session.spec.serves_jupyter:
            if processes.started(leader):
                self.ready(session, message("progress.running"))
            return
        if time.monotonic() - watch.begun > self._config.start_timeout:
            lines = self._last_lines(session, 1)
            key = "start.timeout" if leader else "start.shim_timeout"
            limit, raw = round(self._config.start_timeout), lines[-1] if lines else ""
            self.give_up(session, reason("StartTimeout", key, limit=limit, raw=raw))

    def _end(self, session: Session, leader: Leader | None, watch: Run) -> None:
        """Terminate a session; after the grace period, kill its processes until none is left."""
        now = time.monotonic()
        watch.stopping = watch.stopping or now
        if leader is None:
            # Its shim is about to start it, or hangs: then only the shim can be ended.
            if now - watch.stopping > self._config.stop_grace:
                watch.end_shim()
        elif not watch.asked:
            watch.asked = now
            processes.terminate(leader)
        elif now - watch.asked > grace_of(
            session, self._state.board.settings, self._config.stop_grace
        ):
            found = self._owners.members(session.id, leader)
            isolation = session.isolation
            if isolation and isolation.scope == "process" and not watch.limits_lifted:
                watch.limits_lifted = True
                self._mps.end_clients(found)
            processes.send_signal(found, signal.SIGKILL)


def grace_of(session: Session, settings: Settings, usual: float) -> float:
    """Return the seconds that a session has to end by itself, by the reason for its end."""
    if session.goal == "requeue":
        return grace_left(session, settings.rules.grace, usual)
    if session.reason and session.reason.code in BY_POLICY:
        return settings.ruling(session, session.since).limits.grace
    return usual


_SILENT = 5.0
"""Seconds after which a shim that has not recorded the end of its session is killed."""


@dataclass(slots=True)
class Run:
    """One run of a session, as observed by this controller.

    `started` is the pid of its shim if that is a child of this controller, `status` the exit code
    of that child.
    """

    session: str
    number: int
    folder: SessionFolder
    started: int = 0
    begun: float = field(default_factory=time.monotonic)
    leader: Leader | None = None
    shim: Process | None = None
    status: int | None = None
    ended: Ended | None = None
    stopping: float = 0.0
    asked: float = 0.0
    clearing: float = 0.0
    limits_lifted: bool = False
    left: set[int] = field(default_factory=set)
    _silent: float = 0.0
    _missing: float = 0.0
    _last: Ended | None = None

    @property
    def missing(self) -> bool:
        """Whether the folder was missing when last checked."""
        return bool(self._missing)

    def shim_lives(self) -> bool:
        """Return whether its shim is alive; where the folder is missing, search processes."""
        held = self.folder.shim_lives()  # before notes are read: a shim that is gone adds none
        self._missing = 0.0 if self.folder.path.exists() else self._missing or time.monotonic()
        self.leader = self.leader or self.folder.leader(self.number)
        if self.shim is None and (held or held is None):
            pid = self.started or (self.leader.shim if self.leader else 0)
            self.shim = processes.find_shim(self.folder, pid)
        if self.leader is None and held is None and self._missing:
            self.leader = processes.find_leader(self.session, self.number, self.shim)
        return processes.is_alive(self.shim) if held is None else held

    def shim_is_stopped(self) -> bool:
        """Return whether its shim was stopped by a signal."""
        return processes.is_stopped(self.shim)

    def unreported_end(self) -> Ended | None:
        """Return how it ended if its shim does not report the end, and kill the shim; else None."""
        now = time.monotonic()
        if self.leader is None or processes.alive(self.leader):
            self._silent = 0.0
            return None
        self._silent = self._silent or now
        if now - self._silent < _SILENT:
            return None
        self._last = self._last or self._noted_end() or self._observed_end(self.leader)
        self.end_shim()
        hopeless = now - self._silent > 2 * _SILENT  # even SIGKILL does not end it
        return self._last if hopeless else None

    def outcome(self, patience: float) -> Ended | None:
        """Return how it ended after its shim is gone; None if it runs on without one.

        None also for up to `patience` seconds while its folder, with the exit note, is missing.
        """
        if self.started:
            self.status = processes.reap(self.started)
            if self.status is None:
                return None  # it is exiting
            self.started = 0
        leader = self.leader
        if found := self._noted_end() or self._last:
            if leader:
                processes.reap_if_child(leader.pid)
            return found
        if leader and processes.alive(leader):
            return None
        if self._missing and time.monotonic() - self._missing < patience:
            return None
        return self._observed_end(leader) if leader else self._without_leader()

    def end_shim(self) -> None:
        """Kill the shim."""
        shim = self.shim if processes.is_alive(self.shim) else None
        if pid := shim.pid if shim else self.started:
            processes.send_signal({pid}, signal.SIGKILL)

    def _noted_end(self) -> Ended | None:
        found = self.folder.exit(self.number)
        if found is None:
            return None
        return Ended("observed", found.code, found.signal, datetime.fromtimestamp(found.at, UTC))

    def _observed_end(self, leader: Leader) -> Ended:
        """Return how a first process ended, as far as the kernel still knows."""
        if leader.boot != procfs.boot_id():
            return Ended("rebooted")
        code = processes.exit_of(leader)
        return Ended("unknown") if code is None else Ended("observed", *code)

    def _without_leader(self) -> Ended:
        launch: Launch | None = self.folder.launch(self.number)
        if launch and launch.boot != procfs.boot_id():
            return Ended("rebooted")
        if self.status is None or self.status < 0:
            return Ended("not_started")
        return Ended("start_failed", detail=f"{os.strerror(self.status)}.")
