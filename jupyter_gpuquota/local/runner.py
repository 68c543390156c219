"""Run sessions on this machine: shims, processes, and the devices that they use.

Every method runs in the worker thread.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from ..errors import FieldError, StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import LIVE, Session, SessionSpec
from ..model.struct import Message
from .config import LocalConfig
from .gpus import usage
from .gpus.devices import Devices
from .gpus.inventory import DeviceInventory
from .gpus.programs import with_programs
from .processes import processes
from .processes.exit_reasons import Ended
from .sessions.launcher import Launcher, taken_ports
from .sessions.links import SessionLinks
from .sessions.process_watcher import ProcessWatcher
from .shim import procfs
from .state.state import State


class LocalRunner:
    """Sessions as processes of this machine."""

    def __init__(
        self, config: LocalConfig, state: State, devices: Devices, key: bytes, cache: Path
    ) -> None:
        self._config = config
        self._state = state
        self._board = state.board
        self._devices = devices
        self.links = SessionLinks(cache, state.folder)
        self._starter = Launcher(config, state, devices, key, self.links)
        self._owners = processes.ProcessOwners(state.folders.sessions)
        self._watcher = ProcessWatcher(config, state, devices, self._starter.shims, self._owners)
        self.orphans: SimpleQueue[int] = SimpleQueue()
        """Process groups of programs that ran inside sessions; their orphans have to be reaped."""
        self._groups: set[int] = set()
        self._measured = 0.0

    def open(self) -> DeviceInventory:
        """Become the parent of orphans, tidy up, and return the devices."""
        procfs.become_subreaper()
        for session in self._board.sessions:
            self._unlink(session)
        return self._devices.read()

    def close(self) -> None:
        """Close the devices; sessions keep running."""
        self._devices.close()

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterator[FieldError]:
        """Yield why a request cannot run here."""
        yield from taken_ports(spec, live)
        yield from self.links.taken(spec)

    def start(self, session: Session, placement: Placement) -> None:
        """Start a queued session; it fails if it cannot be started.

        Raises StorageFailed if that cannot be stored: it stays queued.
        """
        if problem := self._starter.start(session, placement):
            started = self._board.by_id[session.id]
            self._watcher.conclude(started, Ended("start_failed", detail=problem))
            self._unlink(session)
            if self._board.by_id[session.id].state == "waiting":
                raise StorageFailed(
                    f"{session.spec.name} could not be started, and that cannot be stored: "
                    f"{problem.rstrip('.')}.",
                    hint="Free some space on the disk of the state folder.",
                )

    def observe(self, session: Session) -> None:
        """Observe a live session, and do what its state requires."""
        self._watcher.observe(session)
        self._unlink(session)

    def ready(self, session: Session, step: Message) -> None:
        """Publish that a starting session is running."""
        self._watcher.ready(session, step)

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that fails to start; it fails for this reason once it has ended."""
        self._watcher.give_up(session, reason)

    def measure(self) -> DeviceInventory | None:
        """Read the devices every `poll_interval`, while a session is live or a page is open."""
        board = self._board
        live = [session for session in board.sessions if session.state in LIVE]
        wanted = board.watched or live
        due = time.monotonic() - self._measured >= self._config.poll_interval
        if not (self._devices.measured and wanted and due):
            return None
        self._measured = time.monotonic()
        owners_of = functools.cache(self._owners.owners)
        inventory = with_programs(self._devices.read(), owners_of)
        self._devices.work.note({uuid for session in live for uuid in usage.held_by(session)})
        for session in usage.measured(board.sessions, inventory, owners_of):
            keep = usage.higher(board.by_id[session.id], session)
            (self._state.settle if keep else self._state.note)(session)
        return inventory

    def step(self) -> None:
        """Reap orphans of programs that ran inside sessions, and refresh process owners."""
        with suppress(Empty):
            while True:
                self._groups.add(self.orphans.get_nowait())
        self._groups = {group for group in self._groups if processes.reap_group(group)}
        if any(session.state in LIVE for session in self._board.sessions):
            self._owners.refresh()
        self._board.warn("processes", self._watcher.warnings())

    def _unlink(self, session: Session) -> None:
        """Remove the links to datasets and volumes of a session that no longer runs."""
        if (session.spec.data or session.spec.volumes) and self._board.by_id[
            session.id
        ].state not in LIVE:
            self.links.remove(session, self._board.sessions)
