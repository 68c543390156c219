"""What runs sessions on this machine: shims and processes, and the devices that they use.

Every method belongs to the worker thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..errors import FieldError
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import LIVE, Session, SessionSpec
from . import processes, usage
from .config import LocalConfig
from .devices import Devices
from .inventory import DeviceInventory
from .launch import reserved_args
from .outcomes import Ended
from .shim import procfs
from .starting import Starter, taken_ports
from .state import State
from .watching import Watcher


class LocalRunner:
    """Sessions as processes of this machine."""

    def __init__(self, config: LocalConfig, state: State, devices: Devices, key: bytes) -> None:
        self._config = config
        self._state = state
        self._board = state.board
        self._devices = devices
        self._starter = Starter(config, state, devices, key)
        self._watcher = Watcher(config, state, devices, self._starter.shims)
        self.orphans: SimpleQueue[int] = SimpleQueue()
        """Process groups of programs that have run inside sessions, for what they leave behind."""
        self._groups: set[int] = set()
        self._measured = 0.0

    def open(self) -> DeviceInventory:
        """Take in orphans from now on, and return the devices."""
        procfs.become_subreaper()
        return self._devices.read()

    def close(self) -> None:
        """Let go of the devices; sessions run on."""
        self._devices.close()

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterator[FieldError]:
        """Yield what keeps a request from being run here."""
        yield from reserved_args(spec)
        yield from taken_ports(spec, live)

    def start(self, session: Session, placement: Placement) -> None:
        """Start a waiting session; it fails where that cannot be. Raises StorageFailed."""
        if problem := self._starter.start(session, placement):
            started = self._board.by_id[session.id]
            self._watcher.conclude(started, Ended("unstarted", detail=problem))

    def look(self, session: Session) -> None:
        """Find out what has become of a live session, and do what its state asks for."""
        self._watcher.look(session)

    def ready(self, session: Session, message: str) -> None:
        """Publish that a starting session is up."""
        self._watcher.ready(session, message)

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that starts wrongly; it fails for this reason once it has gone."""
        self._watcher.give_up(session, reason)

    def measure(self) -> DeviceInventory | None:
        """Look at the devices from time to time, while there is a reason to."""
        board = self._board
        wanted = board.watched or any(s.state in LIVE for s in board.sessions)
        due = time.monotonic() - self._measured >= self._config.poll_interval
        if not (self._devices.measured and wanted and due):
            return None
        self._measured = time.monotonic()
        inventory = self._devices.read()
        for session in usage.measured(board.sessions, inventory):
            keep = usage.higher(board.by_id[session.id], session)
            (self._state.settle if keep else self._state.note)(session)
        return inventory

    def step(self) -> None:
        """Reap what programs that were run inside sessions have left behind."""
        with suppress(Empty):
            while True:
                self._groups.add(self.orphans.get_nowait())
        self._groups = {group for group in self._groups if processes.reap_group(group)}
