"""What happens to snapshots by itself: lakes are read, rules applied, ends of sessions stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from ...core.snapshots import identity, requests, retention
from ...core.snapshots.retention import Rests
from ...errors import GpuQuotaError, NotFound
from ...model.sessions import Session
from ...model.snapshots.manifest import Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest, SnapshotRules
from ...model.struct import decoded
from ...store.lake.objects import Objects
from ..board import Board
from .capture import Maker
from .registry import Registry, drop_trees, trees

T = TypeVar("T", bound=msgspec.Struct)
_READ = 30
_APPLY = 60
_TREES = 3600
"""Seconds between other things."""
_UNNAMED = timedelta(days=1)
"""How long stays what no manifest names: its snapshot was killed before it was complete."""
_log = logging.getLogger(__name__)


class Rules:
    """When snapshots of users are taken and removed by themselves."""

    def __init__(self, own: Objects) -> None:
        self.damaged: dict[str, str] = {}
        """What is wrong with objects that cannot be read, by their keys: the defaults are used."""
        self._own = own

    async def rules(self, user: str) -> SnapshotRules:
        """Return the rules of a user. Raises Unavailable."""
        return await self._read(identity.rules_key(user), SnapshotRules())

    async def put(self, user: str, rules: SnapshotRules) -> None:
        """Set the rules of a user. Raises StorageFailed, Unavailable."""
        known, before = await self.rests(user), await self.rules(user)
        now = datetime.now(UTC)
        if (after := retention.switched(known, before, rules, now)) != known:
            await self._write(identity.rests_key(user), after)
        await self._write(identity.rules_key(user), rules)

    async def rests(self, user: str) -> Rests:
        """Return what is remembered of resting sessions of a user. Raises Unavailable."""
        return await self._read(identity.rests_key(user), Rests())

    async def stored(self, session: Session, there: Collection[str]) -> None:
        """Remember that a session was stored; `there` are the ids of all sessions.

        Raises StorageFailed, Unavailable.
        """
        known = await self.rests(session.owner)
        after = retention.stored(known, session, there)
        await self._write(identity.rests_key(session.owner), after)

    async def _read(self, key: str, default: T) -> T:
        try:
            return decoded(await self._own.get(key), type(default))
        except NotFound:
            return default
        except msgspec.DecodeError as error:
            why = f"{key} in the state folder cannot be read: {error}."
            self.damaged[key] = f"{why} Set the rules for snapshots anew."
            return default

    async def _write(self, key: str, value: msgspec.Struct) -> None:
        await self._own.put(key, msgspec.json.encode(value))
        self.damaged.pop(key, None)


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
    """One loop for resting sessions, lakes and rules; what comes to rest is noticed at once."""

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
        self._resting: set[tuple[str, int, str]] = set()
        self._begun = datetime.now(UTC)
        self._troubles: list[str] = []
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._running = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Look at everything now."""
        self._stale.set()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Look at sessions that have just ended or were suspended."""
        resting: set[tuple[str, int, str]] = {
            (each.id, each.run, each.state) for each in sessions if retention.rests(each)
        }
        if resting - self._resting:
            self.wake()
        self._resting = resting

    async def close(self) -> None:
        """End."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        second = 0
        await self._guarded(self._read())  # what was stored already is not stored again
        while True:
            self._stale.clear()
            await self._guarded(self._at_rest())
            await self._guarded(self._read())
            if second % _APPLY < _READ:
                await self._guarded(self._apply())
            if second % _TREES < _READ:
                await self._guarded(self._drop_unnamed())
            self._troubles += self._rules.damaged.values()
            self._board.warn("snapshots", tuple(dict.fromkeys(self._troubles)))
            self._troubles.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_READ):
                    await self._stale.wait()
            second += _READ

    async def _read(self) -> None:
        await self._registry.refresh()
        self._maker.settle([each.snapshot for each in self._registry.all()], datetime.now(UTC))

    async def _at_rest(self) -> None:
        """Take the snapshots of sessions that rest, whenever they have come to that."""
        resting = [each for each in self._board.sessions if retention.rests(each)]
        everything = self._snapshots.all()
        for owner in sorted({each.owner for each in resting}):
            rules, known = await self._rules.rules(owner), await self._rules.rests(owner)
            known = replace(known, since=known.since or self._begun)
            sessions = [each for each in resting if each.owner == owner]
            mine = [each for each in everything if each.owner == owner]
            for session, trigger in retention.owed(sessions, mine, rules, known):
                await self._guarded(self._store(session, trigger))

    async def _store(self, session: Session, trigger: Trigger) -> None:
        await self._take(session, trigger)
        await self._rules.stored(session, self._board.by_id)

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
                await self._guarded(self._take(session, "schedule"))

    async def _take(self, session: Session, trigger: Trigger) -> None:
        request = SnapshotRequest()
        requests.check(request, session)
        await self._snapshots.create(session, request, session.owner, trigger)

    async def _remove(self, snapshot: Snapshot) -> None:
        if snapshot.id not in self._snapshots.restores.needed():
            await self._registry.remove(snapshot.id)

    async def _drop_unnamed(self) -> None:
        """Remove old trees that no manifest names, and old files beside manifests that are gone."""
        old, entries = datetime.now(UTC) - _UNNAMED, self._registry.all()
        for lake in filter(self._registry.knows_all, {each.lake for each in entries}):
            needed, objects = self._registry.needed(lake), self._registry.objects(lake)
            for owner in {each.snapshot.owner for each in entries}:
                found = await trees(objects, owner)
                unnamed = {version for _, version in found} - needed
                unnamed -= {version for stored, version in found if stored.written >= old}
                await drop_trees(objects, owner, unnamed)
        for lake in self._registry.lakes():
            await self._guarded(self._registry.drop_left(lake, old))

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except GpuQuotaError as error:
            self._troubles.append(error.message)
        except Exception:  # noqa: BLE001 (a bug must not end the care of all snapshots)
            _log.exception("the upkeep of snapshots failed")
            self._troubles.append("Snapshots cannot be kept in order: see the log.")
