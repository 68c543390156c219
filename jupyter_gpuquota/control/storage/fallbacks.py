"""The records of requests with several places, in a file of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ...core.fallbacks import Record
from ...model.struct import decoded
from .sqlite import Damaged, Database, Kind, move_aside

T = TypeVar("T")

_KIND = Kind(
    name="The requests with several places",
    migrations=("CREATE TABLE fallbacks (id TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;",),
    pragmas=("journal_mode = WAL", "synchronous = FULL"),
    checked=True,
)
_PUT = "INSERT INTO fallbacks VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body"
_REMOVE = "DELETE FROM fallbacks WHERE id = ?"


class FallbackStore:
    """What is written is on disk before the step that it is about begins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: Database | None = None
        self._thread = ThreadPoolExecutor(1, "gpuquota-fallbacks")
        self.trouble = ""
        """What was lost, for the warnings."""

    async def open(self) -> Mapping[str, Record]:
        """Return the records by the ids of their sessions. Raises StorageFailed, VersionMismatch.

        A damaged file is moved aside: sessions stay in the places where they are.
        """
        return await self._work(self._open)

    async def put(self, record: Record) -> None:
        """Write a record. Raises StorageFailed: nothing has changed."""
        await self._change(_PUT, (record.id, msgspec.json.encode(record)))

    async def remove(self, session_id: str) -> None:
        """Remove a record, if it is there. Raises StorageFailed."""
        await self._change(_REMOVE, (session_id,))

    async def close(self) -> None:
        """Close the file, after what is being written."""
        await self._work(self._close)
        self._thread.shutdown()

    async def _change(self, query: str, values: tuple[Any, ...]) -> None:
        if self._database:
            await self._work(self._database.change, [(query, values)])

    async def _work(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def _close(self) -> None:
        if self._database:
            self._database.close()

    def _open(self) -> Mapping[str, Record]:
        try:
            return self._read()
        except Damaged:
            self._close()
            aside = move_aside(self._path)
            self.trouble = f"The requests with several places were damaged; see {aside}."
            return self._read()

    def _read(self) -> Mapping[str, Record]:
        self._database = Database(self._path, _KIND)
        found = {}
        for session_id, body in self._database.rows("SELECT id, body FROM fallbacks"):
            try:
                found[session_id] = decoded(body, Record)
            except msgspec.DecodeError as error:
                self.trouble = f"The places of the session {session_id} cannot be read: {error}."
        return found
