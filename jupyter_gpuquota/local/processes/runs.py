"""One run of a session as observed so far: its shim, its first process and its end.

What was read about its processes is remembered. So a temporarily missing folder ends nothing, and a
shim that hangs is bypassed.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..folders.folders import Launch, Leader, SessionFolder
from ..shim import procfs
from . import processes
from .exit_reasons import Ended
from .processes import Process

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
