"""Exporting snapshots: the copies of their volumes are streamed from a pod to the client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

from ....errors import Conflict, Damaged
from ....model.datasets.jobs import Job
from ....model.snapshots.manifest import Manifest
from ....model.snapshots.snapshots import Snapshot, SnapshotFiles
from ....store.spawn import new_id
from ..copies.named import ClaimCopies
from .reader import CopyReader

_QUIET = 10.0
"""Seconds after which an empty part is sent, so that the connection is not idle."""


class Exporting:
    """Streams the copies of snapshots. A client that goes away ends it, and the pod goes."""

    def __init__(self, copies: ClaimCopies, reader: CopyReader, quiet: float = _QUIET) -> None:
        self._copies = copies
        self._reader = reader
        self._quiet = quiet

    async def files(
        self, snapshot: Snapshot, manifest: Manifest, user: str
    ) -> AsyncGenerator[SnapshotFiles]:
        """Yield an archive in parts; the last part has the job that is done, and no data.

        Raises Conflict for a snapshot without copies, Damaged if some are gone, NotAllowed,
        Unavailable.
        """
        if not any(part.handle for part in manifest.volumes):
            raise Conflict("The snapshot has no files.", hint="Its manifest says what it has.")
        if missing := await self._copies.missing(manifest):
            raise Damaged(f"The cluster no longer has the copies of: {', '.join(missing)}.")
        job, started, size = new_id(), datetime.now(UTC), 0
        yield SnapshotFiles()
        async with aclosing(_kept_alive(self._reader.archive(manifest, job), self._quiet)) as parts:
            async for part in parts:
                size += len(part)
                yield SnapshotFiles(data=part)
        yield SnapshotFiles(
            job=Job(
                id=job,
                kind="restore",
                version=snapshot.id,
                user=user,
                state="done",
                started=started,
                updated=datetime.now(UTC),
                done=size,
                size=size,
            )
        )


async def _kept_alive(source: AsyncGenerator[bytes], quiet: float) -> AsyncGenerator[bytes]:
    """Yield what a source does, and nothing at times while it is silent; the source is closed."""
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(source, b""))
            while not following.done():
                await asyncio.wait({following}, timeout=quiet)
                if not following.done():
                    yield b""
            if not (part := following.result()):
                return
            yield part
    finally:
        if following:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        await source.aclose()
