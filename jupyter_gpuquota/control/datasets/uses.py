"""Which sessions use and have used which versions, kept after the sessions are deleted.

The log runs in the event loop; its file is written in a thread, one write at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import msgspec

from ...core.datasets.eviction import kept_by_pin
from ...errors import InUse
from ...model.datasets.caches import CachedVersion, Lease
from ...model.datasets.lineage import DataUse
from ...model.datasets.versions import SHOWN
from ...model.sessions import LIVE, Session
from ...model.struct import decoded
from ...ports.datasets import Caches
from ...store.cache.places import place
from ..storage.journal import Journal

_log = logging.getLogger(__name__)

MOST = 20_000
"""The most uses that are kept, about 6 MB; the oldest go first."""

_Key: TypeAlias = tuple[str, str, str]
Leases = Callable[[], Mapping[tuple[str, str], Sequence[Lease]]]
"""The sessions that use versions or wait for them, by dataset and id."""


class UseLog:
    """The uses of versions, in a file of lines, or in memory only if `path` is None."""

    def __init__(self, path: Path | None, most: int = MOST) -> None:
        self._journal = Journal(path) if path else None
        self._most = most
        self._uses: dict[_Key, DataUse] = {}
        self._written = 0
        """How many of the uses are in the file: the rest is newer."""
        self._writing: asyncio.Task[None] | None = None
        self._loaded = False

    async def start(self) -> None:
        """Read the file. What cannot be read is logged, and left out."""
        await asyncio.to_thread(self._load)
        self._loaded = True

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note what live sessions use, once the file was read."""
        if not self._loaded:
            return
        for session in sessions:
            if session.spec.data and session.state in LIVE:
                for use in _uses_of(session):
                    self._uses.setdefault(_key(use), use)
        if len(self._uses) > self._written and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._writing:
            await self._writing
        if len(self._uses) > self._written:
            await self._write()

    async def of(self, dataset: str) -> tuple[DataUse, ...]:
        """Return the uses of a dataset's versions, oldest first."""
        return tuple(use for use in self._uses.values() if use.dataset == dataset)

    def _load(self) -> None:
        if self._journal is None:
            return
        try:
            self._journal.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lines = self._journal.read()
            self._uses = {_key(use): use for line in lines if (use := _read(line))}
            self._journal.replace(self._lines(self._uses.values()))
        except OSError as error:
            _log.warning("The record of used datasets cannot be read: %s", error)
        self._written = len(self._uses)

    async def _write(self) -> None:
        """Write new uses; what cannot be written now is tried again with the next ones."""
        uses = list(self._uses.values())
        over = len(uses) - self._most
        new = uses[self._written :]
        if over > 0:
            for use in uses[:over]:
                del self._uses[_key(use)]
            new = uses[over:]
        if self._journal:
            write = self._journal.replace if over > 0 else self._journal.append
            try:
                await asyncio.to_thread(write, self._lines(new))
            except OSError as error:
                _log.warning("The record of used datasets cannot be written: %s", error)
                return
        self._written = len(uses) - max(over, 0)

    def _lines(self, uses: Iterable[DataUse]) -> list[bytes]:
        return [msgspec.json.encode(use) for use in uses]


def _uses_of(session: Session) -> list[DataUse]:
    return [
        DataUse(
            dataset=mount.dataset,
            version=mount.version,
            session=session.id,
            name=session.spec.name,
            project=session.spec.project,
            owner=session.owner,
            at=session.started or session.since,
        )
        for mount in session.spec.data
    ]


def _key(use: DataUse) -> _Key:
    return use.dataset, use.version, use.session


def _read(line: bytes) -> DataUse | None:
    try:
        return decoded(line, DataUse)
    except msgspec.DecodeError as error:
        _log.warning("A line of the record of used datasets cannot be read: %s", error)
        return None


class Uses:
    """The uses of versions, by a backend's caches and its sessions."""

    def __init__(self, caches: Caches, leases: Leases, now: Callable[[], datetime]) -> None:
        self._caches = caches
        self._leases = leases
        self._now = now

    def copies(self) -> Mapping[tuple[str, str], CachedVersion]:
        """Return the cached versions by dataset and id."""
        return {(each.dataset, each.version): each for each in self._caches.all()}

    def folder(self, dataset: str, version: str) -> str:
        """Return the folder with the files of a cached version, empty where it is elsewhere."""
        root = self._caches.folder()
        copy = self.copies().get((dataset, version)) if root else None
        there = copy and copy.state in {"cached", "damaged"}
        return str(place(Path(root), dataset, version).tree) if there else ""

    def check(self, dataset: str, version: str) -> None:
        """Raise InUse where a session or a pin keeps a version."""
        copy = self.copies().get((dataset, version))
        leases = self._leases().get((dataset, version), ())
        name = f"{dataset}@{version[:SHOWN]}"
        if leases:
            users = ", ".join(lease.name for lease in leases)
            raise InUse(f"{name} is used by {users}.", hint="Stop these sessions first.")
        if copy and (pins := kept_by_pin(copy, self._now())):
            users = ", ".join(pin.user for pin in pins)
            raise InUse(f"{name} is pinned by {users}.", hint="Remove the pins first.")

    async def forget(self, dataset: str, version: str) -> None:
        """Remove the cached copy of a version that is to be removed. Raises InUse."""
        if (dataset, version) in self.copies():
            await self._caches.clear(dataset, version)
