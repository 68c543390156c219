"""What happens to snapshots by itself: lakes are read, rules applied, ends of sessions stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

import msgspec

from ...core.snapshots import identity, requests, retention
from ...errors import GpuQuotaError, NotFound
from ...model.sessions import ENDED, LIVE, Session
from ...model.snapshots.manifest import Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest, SnapshotRules
from ...store.lake.objects import Objects
from ..board import Board
from .making import Maker
from .registry import Registry, drop_tree, trees

_READ = 30
_RULES = 60
_TREES = 3600
"""Seconds between other things."""
_UNNAMED = timedelta(days=1)
"""How long a tree stays that no manifest names: its snapshot was killed before it was complete."""

_log = logging.getLogger(__name__)


class Rules:
    """The rules of users, in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own

    async def rules(self, user: str) -> SnapshotRules:
        """Return the rules of a user. Raises Unavailable."""
        try:
            body = await self._own.get(identity.rules_key(user))
        except NotFound:
            return SnapshotRules()
        return msgspec.json.decode(body, type=SnapshotRules)

    async def put(self, user: str, rules: SnapshotRules) -> None:
        """Set the rules of a user. Raises StorageFailed, Unavailable."""
        await self._own.put(identity.rules_key(user), msgspec.json.encode(rules))


class Needing(Protocol):
    """Restores that need snapshots."""

    def needed(self) -> set[str]:
        """Return the snapshots that are being restored."""


class Taking(Protocol):
    """What takes snapshots."""

    @property
    def restores(self) -> Needing:
        """What restores snapshots."""

    def all(self) -> tuple[Snapshot, ...]:
        """Return all snapshots."""

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot."""


class Upkeep:
    """One loop for lakes and rules; what ends or is suspended is noticed at once."""

    def __init__(
        self,
        board: Board,
        registry: Registry,
        maker: Maker,
        snapshots: Taking,
        rules: Rules,
    ) -> None:
        self._board = board
        self._registry = registry
        self._maker = maker
        self._snapshots = snapshots
        self._rules = rules
        self._stale = asyncio.Event()
        self._live: dict[str, str] = {}
        self._running: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin."""
        self._live = {each.id: each.state for each in self._board.sessions}
        self._running = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Read the lakes now."""
        self._stale.set()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Take the snapshots of sessions that have just ended or were suspended."""
        before, self._live = self._live, {each.id: each.state for each in sessions}
        for session in sessions:
            if before.get(session.id) not in LIVE or session.started is None:
                continue
            if session.state == "suspended" or session.state in ENDED:
                trigger: Trigger = "suspend" if session.state == "suspended" else "finish"
                task = asyncio.create_task(self._guarded(self._at_rest(session, trigger)))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End."""
        tasks = [*self._tasks, *([self._running] if self._running else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        second = 0
        while True:
            self._stale.clear()
            await self._guarded(self._read())
            if second % _RULES < _READ:
                await self._guarded(self._apply())
            if second % _TREES < _READ:
                await self._guarded(self._drop_unnamed())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_READ):
                    await self._stale.wait()
            second += _READ

    async def _read(self) -> None:
        await self._registry.refresh()
        self._maker.settle([each.snapshot for each in self._registry.all()], datetime.now(UTC))

    async def _at_rest(self, session: Session, trigger: Trigger) -> None:
        rules = await self._rules.rules(session.owner)
        if rules.on_suspend if trigger == "suspend" else rules.on_finish:
            await self._take(session, trigger)

    async def _apply(self) -> None:
        """Remove what the rules remove, and take what the schedule wants."""
        everything = self._snapshots.all()
        owners = {each.owner for each in everything}
        owners |= {each.owner for each in self._board.sessions}
        for owner in sorted(owners):
            rules = await self._rules.rules(owner)
            mine = [each for each in everything if each.owner == owner]
            for snapshot in retention.removable(mine, rules):
                await self._remove(snapshot)
            sessions = [each for each in self._board.sessions if each.owner == owner]
            for session in retention.due(sessions, mine, rules.every, datetime.now(UTC)):
                await self._take(session, "schedule")

    async def _take(self, session: Session, trigger: Trigger) -> None:
        request = SnapshotRequest()
        requests.check(request, session)
        await self._snapshots.create(session, request, session.owner, trigger)

    async def _remove(self, snapshot: Snapshot) -> None:
        if snapshot.id not in self._snapshots.restores.needed():
            await self._registry.remove(snapshot.id)

    async def _drop_unnamed(self) -> None:
        """Remove old trees that no manifest names."""
        entries = self._registry.all()
        for lake in filter(self._registry.knows_all, {each.lake for each in entries}):
            needed = {each.tree for each in entries if each.lake == lake}
            objects = self._registry.objects(lake)
            for owner in {each.snapshot.owner for each in entries}:
                for stored, version in await trees(objects, owner):
                    if version not in needed and datetime.now(UTC) - stored.written > _UNNAMED:
                        await drop_tree(objects, owner, version)

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except GpuQuotaError as error:
            self._board.warn("snapshots", (error.message,))
        except Exception:  # noqa: BLE001 (a bug must not end the care of all snapshots)
            _log.exception("the upkeep of snapshots failed")
            self._board.warn("snapshots", ("Snapshots cannot be kept in order: see the log.",))
        else:
            self._board.warn("snapshots", ())
