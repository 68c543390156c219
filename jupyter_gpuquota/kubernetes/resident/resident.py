"""The resident part of the kubernetes backend: watches, the reconciler, and what time brings."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ...control.administration import Administrator
from ...control.board import Board
from ...control.ending.open_pages import OpenPages
from ...control.idle.activity_poller import ActivityPoller, Readings
from ...control.idle.lifetimes import Lifetimes
from ...control.idle.monitor import IdleMonitor
from ...control.recorder import Recorder
from ...control.resident import INACTIVE
from ...control.storage.sqlite import Database
from ...control.webhook import Webhook
from ...core.idle.decide import Event
from ...core.idle.endings import notice
from ...core.idle.policy import Limits
from ...errors import Unavailable
from ...model.sessions import Session, SessionSpec
from ...ports.charge import NotInCharge
from ..builders.defaults import Parts, PodDefaults
from ..engines.engine import Engine
from ..inventory import KubernetesInventory
from ..lease.keeper import Leadership
from ..reconcile.reconciler import Reconciler
from .cluster import KubeCluster, Reaching
from .settings import open_settings


class Late:
    """Stands for an object that is found by connecting; until then its use raises Unavailable.

    A backend is a record of its capabilities, which exists before its connection.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._found: Any = None
        self._why_not: Callable[[], str] = str

    def found(self, found: Any, why_not: Callable[[], str] = str) -> None:
        """Stand for an object from now on, but while `why_not` returns a reason, as before."""
        self._found = found
        self._why_not = why_not

    def __bool__(self) -> bool:
        """Return whether the object was found."""
        return self._found is not None

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the object. Raises Unavailable, NotInCharge."""
        if self._found is None:
            raise Unavailable(f"{self._what} is not connected.", hint="Try again in a moment.")
        if why := self._why_not():
            raise NotInCharge(why, hint="Try again in a moment.")
        return getattr(self._found, name)


def parts_of(
    engine: Engine,
    inventory: KubernetesInventory,
    board: Board,
    defaults: PodDefaults,
    spec: SessionSpec,
) -> Parts:
    """Return what the engine, the share and the administrator add now. Raises InvalidFields."""
    return Parts(
        engine=engine.patch(spec),
        share=inventory.choice(spec).patch(),
        defaults=defaults,
        node_types=inventory.node_groups(spec),
        grace=board.settings.rules.grace,
    )


T = TypeVar("T")

_log = logging.getLogger(__name__)

_TICK = 0.5
"""Seconds between two checks of what only time brings."""
_SHORTEST = 0.1
"""Seconds between two looks at a cluster in which much changes."""


class Attached(Protocol):
    """A part that works beside the sessions: datasets, volumes."""

    async def start(self) -> None:
        """Begin."""

    async def close(self) -> None:
        """End, if it has begun."""


@dataclass(frozen=True, slots=True)
class Driven:
    """The parts that the resident drives; settings are kept in the folder `home`."""

    board: Board
    cluster: KubeCluster
    reconciler: Reconciler
    admin: Administrator
    monitor: IdleMonitor
    recorder: Recorder
    poller: ActivityPoller
    webhook: Webhook
    pages: OpenPages
    reaching: Reaching
    leadership: Leadership
    attached: Sequence[Attached]
    home: Path


class ClusterResident:
    """Manages the sessions of a cluster from `start` to `close`."""

    def __init__(self, parts: Driven) -> None:
        self._parts = parts
        self.board = parts.board
        self.recorder = parts.recorder
        self.monitor = parts.monitor
        self._lifetimes = Lifetimes(parts.board)
        self._thread = ThreadPoolExecutor(1, "gpuquota-settings")
        self._database: Database | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._changed, self._moved = asyncio.Event(), asyncio.Event()

    async def start(self) -> None:
        """Connect, adopt the sessions that are there, and begin to manage them.

        While another controller is in charge, it waits. Raises StorageFailed, VersionMismatch,
        Unavailable, NotAllowed.
        """
        parts = self._parts
        await parts.cluster.start(self._changed.set, self._moved.set)
        await parts.leadership.begin()
        self._database = await self.work(open_settings, parts.home)
        await self.work(parts.admin.open, self._database, parts.cluster.inventory())
        parts.reconciler.open()
        await parts.cluster.adopt()
        for each in parts.attached:
            await each.start()
        self._ticking = asyncio.create_task(self._tick())
        parts.recorder.start()
        parts.poller.start(self._watched, self._record)

    async def close(self) -> None:
        """Release all resources; sessions keep running."""
        parts = self._parts
        if ticking := self._ticking:
            self._ticking = None
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking
            await parts.poller.close()
            await parts.webhook.close()
            for each in parts.attached:
                await each.close()
        await parts.reconciler.close()
        await parts.reaching.close()
        await parts.leadership.end()
        await parts.cluster.close()
        await parts.recorder.close()
        if database := self._database:
            self._database = None
            await self.work(database.close)
        self._thread.shutdown()

    def idle(self) -> bool:
        """Return whether no session is live or queued."""
        return all(session.state in INACTIVE for session in self.board.sessions)

    def ended(self) -> str:
        """Return why it may write no more, empty while it may."""
        return self._parts.leadership.lost()

    async def work(self, work: Callable[..., T], *args: Any) -> T:
        """Call a function in the thread of the settings."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def look(self) -> None:
        """Look at nodes and workloads soon. Called in the event loop."""
        self._changed.set()

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        monitor = self._parts.monitor
        return await self._parts.reconciler.change(
            session_id, lambda session: monitor.keep_alive(session, span)
        )

    async def _tick(self) -> None:
        parts = self._parts
        while True:
            trouble = ""
            try:
                await self._step()
            except Exception as error:  # noqa: BLE001 (a bug must not end the management of all sessions)
                _log.exception("managing the sessions failed")
                trouble = f"Sessions cannot be managed: {error}. See the controller's log."
            self.board.warn("resident", (trouble, parts.poller.trouble, parts.webhook.trouble))
            self.board.warn("cluster", parts.cluster.warnings())
            await asyncio.sleep(_SHORTEST)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK):
                    await self._changed.wait()

    async def _step(self) -> None:
        """Do what is due by time, and what follows from changes of nodes and projects."""
        parts = self._parts
        if self._changed.is_set():
            self._changed.clear()
            await self.work(parts.admin.show_devices, parts.cluster.inventory())
        if self._moved.is_set():
            self._moved.clear()
            parts.reconciler.wake_all()
        await self.work(parts.admin.refresh)
        self.board.warn("settings", await self.work(parts.admin.warnings))
        self._settle(self._lifetimes.check(datetime.now(UTC), time.monotonic()))
        for session in self.board.sessions:
            if session.is_saving:
                parts.reconciler.wake(session.id)
        known = self.board.by_id
        parts.pages.keep_only(lambda key: key in known and known[key].state not in INACTIVE)

    def _settle(self, changed: Iterable[tuple[Session, Event]]) -> None:
        """Publish changed sessions, and notify owners of what was, or will be, ended."""
        for session, event in list(changed):
            self._parts.reconciler.settle(session)
            if event:
                self._parts.webhook.post([notice(session)])

    async def _watched(self) -> tuple[Sequence[Session], Mapping[str, Limits]]:
        limits = self._parts.monitor.limits()
        return [session for session in self.board.sessions if session.id in limits], limits

    async def _record(self, readings: Readings) -> None:
        monitor = self._parts.monitor
        self._settle(monitor.record(readings))
        await self.recorder.note(list(monitor.observations()), readings)


async def at_once(work: Callable[..., Any], *args: Any) -> Any:
    """Call a function in the event loop, where the idle monitor is used."""
    return work(*args)
