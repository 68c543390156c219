"""Restores on disk, one object each, and carrying them out: a restarted controller goes on."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec
from msgspec.structs import replace

from ...core.snapshots.restore import is_forgotten
from ...errors import GpuQuotaError, Internal, NotFound
from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import TreePart
from ...model.snapshots.restore import Restoration, RestoreState
from ...model.struct import decoded, problem_of
from ...ports.sessions import Sessions
from ...store.lake.objects import Objects
from ..volumes.store import VolumeRecord

_log = logging.getLogger(__name__)


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One restore as users see it; more of it is what its next steps need."""

    shown: Restoration


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """The files to restore: a version in a lake, and the new `folder` that gets them.

    `variables` of a kernel are restored if they are wanted.
    """

    lake: str
    dataset: str
    version: str
    folder: str
    size: int = 0
    variables: bool = False


def tree_of(part: TreePart, folder: str, *, variables: bool = False) -> Tree:
    """Return a stored tree as it is restored to a folder."""
    return Tree(
        lake=part.lake,
        dataset=part.dataset,
        version=part.version,
        size=part.size,
        variables=variables,
        folder=folder,
    )


class NewVolume(msgspec.Struct, frozen=True, kw_only=True):
    """A volume to make of the files of a tree."""

    record: VolumeRecord
    tree: Tree


class Record(Recorded, frozen=True, kw_only=True):
    """One restore into a folder, with what its next steps need."""

    tree: Tree | None
    spec: SessionSpec | None = None
    volumes: tuple[NewVolume, ...] = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Everything that is written."""
        own = (self.tree,) if self.tree else ()
        return (*own, *(each.tree for each in self.volumes))


R = TypeVar("R", bound=Recorded)


class Journal(Generic[R]):
    """The restores, in memory and in the controller's own objects: `records` below `prefix`."""

    def __init__(self, own: Objects, prefix: str, records: type[R]) -> None:
        self._own = own
        self._prefix = prefix
        self._type = records
        self._records: Mapping[str, R] = MappingProxyType({})

    def all(self) -> tuple[R, ...]:
        """Return all restores."""
        return tuple(self._records.values())

    async def read(self) -> None:
        """Read all restores; one that cannot be read is passed over."""
        found: dict[str, R] = {}
        for key in [each.key async for each in self._own.list(self._prefix)]:
            try:
                record = decoded(await self._own.get(key), self._type)
            except NotFound:
                continue  # another controller has just dropped it
            except msgspec.DecodeError as error:
                _log.warning("The restore in %s is passed over: %s", key, error)
            else:
                found[record.shown.id] = record
        self._records = MappingProxyType(found)

    async def put(self, record: R) -> None:
        """Store a restore: on disk first. Raises StorageFailed, Unavailable."""
        restore = record.shown.id
        await self._own.put(f"{self._prefix}{restore}.json", msgspec.json.encode(record))
        self._records = MappingProxyType({**self._records, restore: record})

    async def drop(self, restore: str) -> None:
        """Remove a restore."""
        await self._own.delete([f"{self._prefix}{restore}.json"])
        rest = {key: each for key, each in self._records.items() if key != restore}
        self._records = MappingProxyType(rest)


class Restores(ABC, Generic[R]):
    """Restores that were begun. Each is recorded before every step: a restart goes on with it."""

    def __init__(self, journal: Journal[R], changed: Callable[[], None]) -> None:
        self.sessions: Sessions | None = None
        """Where sessions are launched; set when the backend is complete."""
        self._journal = journal
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()

    def all(self) -> tuple[Restoration, ...]:
        """Return all restores, newest first."""
        shown = (each.shown for each in self._journal.all())
        return tuple(sorted(shown, key=lambda each: (each.begun, each.id), reverse=True))

    def needed(self) -> set[str]:
        """Return the snapshots that are being restored."""
        return {each.snapshot for each in self.all() if each.active}

    async def load(self) -> None:
        """Read what an earlier controller has begun."""
        await self._journal.read()

    async def resume(self) -> None:
        """Go on with what was loaded."""
        await self._sweep()
        for record in self._journal.all():
            if record.shown.active:
                self._go(record, again=True)
            elif is_forgotten(record.shown, datetime.now(UTC)):
                await self._journal.drop(record.shown.id)

    async def close(self) -> None:
        """Stop; the next controller goes on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _begin(self, record: R) -> Restoration:
        """Record a restore, and carry it out. Raises StorageFailed, Unavailable."""
        await self._journal.put(record)
        self._go(record)
        return record.shown

    @abstractmethod
    async def _step(self, record: R, *, again: bool) -> R:
        """Carry out one step, which may have been done before a kill already."""

    async def _sweep(self) -> None:
        """Remove what was begun for restores that are over."""

    async def _fail(self, record: R, error: GpuQuotaError) -> None:
        shown = replace(record.shown, problem=problem_of(error))
        await self._journal.put(moved(replace(record, shown=shown), "failed"))
        await self._sweep()
        self._changed()

    def _go(self, record: R, *, again: bool = False) -> None:
        self._changed()
        task = asyncio.create_task(self._run(record, again=again))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, record: R, *, again: bool) -> None:
        """Carry out the steps that are left."""
        try:
            while record.shown.active:
                record = await self._step(record, again=again)
                again = False
                await self._journal.put(record)
                self._changed()
        except GpuQuotaError as error:
            await self._fail(record, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a restore unfinished)
            _log.exception("a restore has failed")
            await self._fail(record, Internal(f"The restore has failed: {error}."))


def moved(record: R, state: RestoreState) -> R:
    """Return a restore in the next state."""
    return replace(record, shown=replace(record.shown, state=state, updated=datetime.now(UTC)))
