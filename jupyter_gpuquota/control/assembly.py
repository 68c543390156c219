"""Assemble the parts that all resident backends share."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..core.forecast import impact, previews, waiting
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project
from ..model.sessions import Session, SessionSpec
from ..ports.backend import Backend
from ..ports.inventory import Inventory
from .access import ProjectAccess
from .administration import Administrator
from .board import Board, BoardUsage, snapshot_of
from .capabilities import BoardChanges, RecordedHistory, ScheduledSessions, StoredSettings
from .clock import Clock
from .config import GpuQuota
from .ending.open_pages import OpenPages, Uses
from .ending.supervisor import SessionSupervisor
from .idle.activity_poller import ActivityPoller, ActivitySource
from .idle.monitor import IdleMonitor
from .policing import IdlePolicing
from .recorder import Recorder
from .resident import Readiness, Resident
from .runtime import Runner, SessionStore
from .webhook import Webhook
from .worker import Pace, Worker


class OwnPlanning:
    """Simulates scheduling cycles on the state of the board.

    With thousands of sessions a cycle takes noticeable time, so it runs in a thread, on immutable
    data.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user."""
        snapshot = snapshot_of(self._board, datetime.now(UTC))
        return await asyncio.to_thread(previews.preview, spec, snapshot)

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound."""
        session = self._board.find(session_id)
        expected = None
        if session.state == "waiting":
            snapshot = snapshot_of(self._board, datetime.now(UTC))
            expected = (await asyncio.to_thread(waiting.starts, snapshot)).get(session_id)
        return QueuePosition(
            session=session_id,
            reason=session.reason,
            position=session.queue_position,
            expected=expected,
        )

    def starts(self) -> Mapping[str, datetime]:
        """Map queued sessions to when they should start, as last played ahead."""
        return self._board.starts.by_session

    async def try_change(self, project: Project) -> ChangePreview:
        """Return the effect of a project, new or changed, on the present state."""
        before = snapshot_of(self._board, datetime.now(UTC))
        named = {**{each.name: each for each in before.projects}, project.name: project}
        return await asyncio.to_thread(impact.compare, before, tuple(named.values()))


@dataclass(frozen=True, slots=True)
class Plugin:
    """A backend as its entry point declares it.

    `open` takes the controller's settings, the backend's own and its folder. `config` is the class
    of the backend's own settings, a traitlets Configurable. `refuses` maps hostings that must not
    be used with it to the reason: what would happen.
    """

    open: Callable[[GpuQuota, Any, Path], Backend]
    config: type[Any]
    refuses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a backend provides so that our own scheduling core can run its sessions.

    `project` owns all devices where no project is configured; `history` is the file of the
    history, None for one in memory. `uses` reports the use of sessions, where that is observed.
    """

    board: Board
    store: SessionStore
    runner: Runner
    activity: ActivitySource
    project: str
    history: Path | None = None
    uses: Uses | None = None
    readiness: Readiness | None = None
    pace: Pace = field(default_factory=Pace)
    thread: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, "gpuquota-worker"))


def make_resident(config: GpuQuota, runtime: Runtime, clock: Clock) -> Resident:
    """Return the resident that manages the sessions of a runtime in the controller."""
    board = runtime.board
    worker = Worker(
        board,
        runtime.store,
        runtime.runner,
        Administrator(config, board, runtime.project),
        clock,
        IdleMonitor(board, clock, config.idle_interval),
        SessionSupervisor(
            board, runtime.store, runtime.runner, OpenPages(runtime.uses), config.save_timeout
        ),
        runtime.pace,
    )
    pause = clock.real(timedelta(seconds=config.idle_interval))
    return Resident(
        worker,
        runtime.thread,
        Recorder(config, board, clock, runtime.history),
        ActivityPoller(runtime.activity, pause),
        Webhook(config.webhook),
        runtime.readiness,
    )


def make_backend(
    name: str,
    config: GpuQuota,
    resident: Resident,
    inventory: Inventory,
    owners: Collection[str],
    key: bytes,
) -> Backend:
    """Return the record of a backend whose sessions are scheduled by our own core.

    `owners` are admins where the configuration names none; `key` is the secret from which
    sessions' tokens are derived. The backend adds further capabilities with `dataclasses.replace`.
    """
    board, worker = resident.board, resident.worker
    settings = StoredSettings(board, worker.admin, resident.act)
    resident.companions.append(StartTimes(board))
    return Backend(
        name=name,
        resident=resident,
        sessions=ScheduledSessions(resident),
        inventory=inventory,
        changes=BoardChanges(board),
        access=ProjectAccess(board, worker.admin, resident.work, config.admins, owners, key),
        planning=OwnPlanning(board),
        usage=BoardUsage(board, config.idle_interval),
        history=RecordedHistory(resident.recorder),
        administration=settings,
        lakes=settings.data,
        templates=settings.templates,
        policing=IdlePolicing(
            board, resident.recorder, worker.idle, resident.work, resident.keep_alive
        ),
    )


_log = logging.getLogger(__name__)

_PAUSE = 0.5
"""The least time between two plays, in seconds."""
_REST = 20
"""How many times as long as a play the pause after it is: playing takes 5 % of a processor."""


class StartTimes:
    """Keeps the board's expected start times current, in threads of their own.

    With thousands of sessions a play takes noticeable time. It holds up neither requests nor the
    worker, and what it found last is shown meanwhile.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._changed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin."""
        self._running = asyncio.create_task(self._run())

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""
        self._changed.set()

    async def close(self) -> None:
        """Stop."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None

    async def _run(self) -> None:
        board, played = self._board, 0
        while True:
            await self._changed.wait()
            self._changed.clear()
            if board.latest == played:
                continue
            played, began = board.latest, time.monotonic()
            try:
                snapshot = snapshot_of(board, datetime.now(UTC))
                board.starts.show(await asyncio.to_thread(waiting.starts, snapshot))
            except Exception:  # noqa: BLE001 (a bug must not end it for all sessions)
                _log.exception("playing ahead when queued sessions start failed")
            await asyncio.sleep(max(_PAUSE, _REST * (time.monotonic() - began)))
