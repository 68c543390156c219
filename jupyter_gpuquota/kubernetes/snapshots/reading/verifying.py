"""Verifying snapshots: everything in their copies is hashed, and compared with what was recorded.

A driver's copy has no hashes of its own. The first reading records them; each later one has to find
the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ....control.datasets.job_board import JobBoard
from ....control.snapshots.registry import Registry
from ....errors import Damaged, GpuQuotaError, Internal, Unavailable
from ....model.datasets.jobs import Job, JobReport
from ....model.snapshots.manifest import Manifest
from ....model.snapshots.snapshots import Snapshot
from ....model.struct import problem_of
from ....store import differences
from ....store.paths import printable
from ....store.spawn import new_id
from ....store.tasks import in_thread
from ..copies.named import ClaimCopies
from .begun import Begun, BegunVerifications
from .files import Entries, Read, StoredFiles
from .notebooks import StoredNotebooks, chosen
from .reader import CopyReader

_REPORT = 2.0
"""Seconds between two reports."""
_MOST = 1000
"""The most findings that are reported."""
_NAMED = 5
"""The most notebooks that are named."""

_RECORDED = "All files were read; their hashes are recorded, for later verifications to compare."

_log = logging.getLogger(__name__)


class Verifying:
    """Verifies snapshots in the event loop; the next controller goes on with what was begun."""

    def __init__(
        self,
        board: JobBoard,
        copies: ClaimCopies,
        reader: CopyReader,
        stored: StoredFiles,
        begun: BegunVerifications,
    ) -> None:
        self._board = board
        self._copies = copies
        self._reader = reader
        self._stored = stored
        self._begun = begun
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, snapshot: Snapshot, manifest: Manifest, user: str) -> Job:
        """Start, and return the job; it has ended already if copies are gone."""
        job = new_id()
        begun = await self._board.start(_report(snapshot, "running"), job, user)
        try:
            missing = await self._copies.missing(manifest)
            if not missing:
                await self._begun.put(Begun(job=job, snapshot=snapshot.id, user=user))
        except GpuQuotaError as error:
            self._board.fail(job, error)
            raise
        if missing:
            text = f"The cluster no longer has the copies of: {', '.join(missing)}."
            return await self._board.report(job, _lost(snapshot, text, missing), user)
        self._go(snapshot, manifest, job, user)
        return begun

    async def resume(self, registry: Registry) -> None:
        """Begin anew, under their jobs, what an earlier controller has begun.

        What cannot go on fails, and says so. Raises StorageFailed, Unavailable.
        """
        for each in await self._begun.all():
            report = JobReport(kind="verify", state="running", version=each.snapshot)
            await self._board.start(report, each.job, each.user)
            try:
                manifest = await registry.manifest(each.snapshot)
                self._go(registry.find(each.snapshot).snapshot, manifest, each.job, each.user)
            except GpuQuotaError as error:
                text = f"The verification was interrupted, and cannot go on: {error.message}"
                self._board.fail(each.job, Unavailable(text, hint="Verify the snapshot again."))
                await self._begun.drop(each.job)

    def _go(self, snapshot: Snapshot, manifest: Manifest, job: str, user: str) -> None:
        task = asyncio.create_task(self._guarded(snapshot, manifest, job, user))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop; what pods and claims there are goes, and the next controller begins anew."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _guarded(self, snapshot: Snapshot, manifest: Manifest, job: str, user: str) -> None:
        try:
            await self._board.report(job, await self._verified(snapshot, manifest, job, user), user)
        except GpuQuotaError as error:
            self._board.fail(job, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a job unfinished)
            _log.exception("a verification has failed")
            self._board.fail(job, Internal(f"The verification has failed: {error}."))
        try:
            await self._begun.drop(job)
        except GpuQuotaError as error:
            _log.warning("The verification %s is done again after a restart: %s", job, error)

    async def _verified(
        self, snapshot: Snapshot, manifest: Manifest, job: str, user: str
    ) -> JobReport:
        """Return how it has ended, with reports while it goes on."""
        read = [0, 0]

        def progress(files: int, size: int) -> None:
            read[:] = files, size

        notebooks = StoredNotebooks(self._stored, snapshot)
        reading = asyncio.create_task(self._reader.read(manifest, new_id(), progress, notebooks))
        try:
            while not reading.done():
                await asyncio.wait({reading}, timeout=_REPORT)
                report = _report(snapshot, "running", files=read[0], done=read[1])
                if not reading.done() and (await self._board.report(job, report, user)).cancelling:
                    return _report(snapshot, "cancelled")
            return await self._ended(snapshot, reading.result())
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _ended(self, snapshot: Snapshot, read: Mapping[str, Read]) -> JobReport:
        """Return what was found; what is read for the first time is recorded."""
        findings: list[str] = []
        first = False
        for volume, one in read.items():
            findings += (f"{volume}/{printable(path)}" for path in one.unread)
            recorded = await self._stored.get(snapshot, volume)
            if recorded is None:
                first = True
                if not one.unread:
                    await self._stored.put(snapshot, volume, one.entries)
            else:
                findings += _changed(volume, recorded, one)
        if findings:
            text = f"{len(findings)} files of the copies were changed or cannot be read."
            return _lost(snapshot, text, findings[:_MOST])
        entries = [each for one in read.values() for each in one.entries]
        size = sum(each.size for each in entries)
        done = _report(snapshot, "done", files=len(entries), done=size)
        return replace(done, reason=_RECORDED + await in_thread(_left, read)) if first else done


def _left(read: Mapping[str, Read]) -> str:
    """Return which notebooks are not stored and why, empty if all are."""
    left = [
        f"{volume}/{printable(path)} ({why})"
        for volume, one in read.items()
        for path, why in sorted(chosen(one.entries)[1].items())
    ]
    if not left:
        return ""
    more = [f"{len(left) - _NAMED} more"] if len(left) > _NAMED else []
    return f" The cells of some notebooks cannot be compared: {', '.join(left[:_NAMED] + more)}."


def _changed(volume: str, recorded: Entries, read: Read) -> Iterator[str]:
    """Yield the paths of a volume that differ from what was recorded."""
    for each in differences.compare(recorded, read.entries):
        if each.path not in read.unread:
            yield f"{volume}/{printable(each.path)}"


def _report(snapshot: Snapshot, state: str, **fields: int) -> JobReport:
    return JobReport(kind="verify", state=state, version=snapshot.id, **fields)  # type: ignore[arg-type]


def _lost(snapshot: Snapshot, text: str, findings: list[str]) -> JobReport:
    return JobReport(
        kind="verify",
        state="failed",
        version=snapshot.id,
        problem=problem_of(Damaged(text)),
        findings=tuple(findings),
    )
