"""Fetches announce themselves, so that two of one version cost one download.

Nothing depends on it: a process that does not see another one fetches too, and the first that is
ready publishes its copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from ..processes.owners import this_process
from ..progress import Progress
from ..tasks import in_thread
from . import index, records
from .owners import FolderClock
from .places import Place
from .records import Fetching

_RENEWAL = 1.0
"""Seconds from one sign of life to the next."""

_log = logging.getLogger(__name__)


class Announcement:
    """The record of a fetch by this process."""

    def __init__(self, place: Place, job: str) -> None:
        self._place = place
        self._name = f"{job or 'fetch'}-{uuid.uuid4().hex[:12]}"
        self._record = Fetching(job=job, owner=this_process())

    @property
    def part(self) -> Path:
        """The folder that this fetch writes."""
        return self._place.side / "fetching" / f"{self._name}.part"

    @property
    def path(self) -> Path:
        """The record."""
        return self._place.side / "fetching" / f"{self._name}.json"

    def tell(self, progress: Progress) -> None:
        """Note how far the fetch is; it is written with the next sign of life."""
        self._record = msgspec.structs.replace(
            self._record,
            size=progress.all_bytes,
            files=progress.all_files,
            done=progress.bytes,
        )

    def write(self) -> None:
        """Write the record: a sign of life."""
        records.write(self.path, self._record, durable=False)
        if not self._record.since:
            stamp = self.path.stat().st_mtime_ns
            self._record = msgspec.structs.replace(self._record, since=stamp)
            records.write(self.path, self._record, durable=False)

    def earlier(self) -> Fetching | None:
        """Return the oldest running fetch of the version if it began before this one."""
        for name, record in index.fetches(self._place, FolderClock(self._place.root)):
            return None if name == self._name else record
        return None

    def withdraw(self) -> None:
        """Remove the record."""
        self.path.unlink(missing_ok=True)


@asynccontextmanager
async def announced(place: Place, job: str) -> AsyncIterator[Announcement]:
    """Announce a fetch, and give signs of life until it ends. Raises OSError."""
    own = Announcement(place, job)
    try:
        await in_thread(own.write)
        renewing = asyncio.create_task(_renew(own))
        try:
            yield own
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing
    finally:
        await in_thread(own.withdraw)


async def _renew(own: Announcement) -> None:
    while True:
        await asyncio.sleep(_RENEWAL)
        try:
            await in_thread(own.write)
        except OSError as error:
            # On a full disk, others may take this fetch for dead; it still ends well or fails.
            _log.warning("The progress of a fetch cannot be written: %s", error)
