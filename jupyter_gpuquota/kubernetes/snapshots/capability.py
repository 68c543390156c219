"""The port `Snapshots` on a cluster: manifests are in a lake, content is in snapshots of claims."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from ...control.datasets.job_board import JobBoard
from ...control.snapshots.making import Maker
from ...control.snapshots.pages import SavingPages
from ...control.snapshots.registry import Registry
from ...core.snapshots.comparison import compare
from ...errors import Conflict, Damaged, GpuQuotaError, InUse, Unsupported
from ...model.datasets.jobs import Job, JobReport
from ...model.ending import PageReport
from ...model.sessions import Session
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest
from ...model.struct import problem_of
from ...store.spawn import new_id
from .copies.named import ClaimCopies
from .restores import ClaimRestores

UNFINISHED = frozenset({"making", "failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What snapshots of a cluster consist of."""

    registry: Registry
    maker: Maker
    pages: SavingPages
    board: JobBoard
    copies: ClaimCopies
    restores: ClaimRestores


class ClusterSnapshots:
    """The snapshots of all users of a cluster."""

    def __init__(self, parts: Parts) -> None:
        self.restores = parts.restores
        self._parts = parts

    def all(self) -> tuple[Snapshot, ...]:
        """Return all snapshots without `actions`, newest first."""
        made_by = {snapshot: job for job, snapshot in self._parts.maker.jobs.items()}
        ready = (each.snapshot for each in self._parts.registry.all())
        shown = [replace(each, job=made_by.get(each.id, "")) for each in ready]
        made = {(each.session, each.created) for each in shown}
        making = (
            each for each in self._parts.maker.all() if (each.session, each.created) not in made
        )
        found = [*shown, *making]
        return tuple(sorted(found, key=lambda each: (each.created, each.id), reverse=True))

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""
        return self._parts.registry.problems()

    async def manifest(self, snapshot: Snapshot) -> Manifest | None:
        """Return a manifest, None while there is none. Raises Damaged, Unavailable."""
        if snapshot.state in UNFINISHED:
            return None
        return await self._parts.registry.manifest(snapshot.id)

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot. Raises Conflict without a lake."""
        earlier = [
            each.id
            for each in self.all()
            if each.session == session.id and each.state not in UNFINISHED
        ]
        origins = [each.snapshot for each in self.restores.all() if each.session == session.id]
        parent = next(iter([*earlier, *origins]), "")
        return await self._parts.maker.create(session, request, author, trigger, parent)

    async def mark(self, snapshot: Snapshot) -> Snapshot:
        """Store tags and pin. Raises Unavailable, NotFound."""
        return await self._parts.registry.mark(snapshot)

    async def remove(self, snapshot: Snapshot) -> None:
        """Remove copies of claims, then the manifest, or cancel the making of a snapshot.

        Who is interrupted can do it again. Raises NotFound, InUse, NotAllowed, Unavailable.
        """
        if snapshot.state in UNFINISHED:
            self._parts.maker.cancel(snapshot.id)
            return
        if snapshot.id in self.restores.needed():
            raise InUse("The snapshot is being restored.", hint="Wait until that is done.")
        registry = self._parts.registry
        if registry.find(snapshot.id).snapshot.pin:
            raise InUse(
                "The snapshot is pinned.", hint="Unpin it first: jupyter gpu snapshot unpin."
            )
        await self._parts.copies.remove(await registry.manifest(snapshot.id))
        await registry.remove(snapshot.id)

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Check the manifest against its id, and that every copy is there and usable."""
        board, job = self._parts.board, new_id()
        await board.start(JobReport(kind="verify", state="running"), job, user)
        try:
            manifest = await self._parts.registry.manifest(snapshot.id)
            missing = await self._parts.copies.missing(manifest)
        except GpuQuotaError as error:
            board.fail(job, error)
            raise
        report = JobReport(kind="verify", state="done", version=snapshot.id)
        if missing:
            text = f"The cluster no longer has the copies of: {', '.join(missing)}."
            lost = problem_of(Damaged(text))
            report = replace(report, state="failed", problem=lost, findings=tuple(missing))
        return await board.report(job, report, user)

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Raise Unsupported: the content is in volumes, which only pods can read."""
        raise Unsupported(
            "The files of this snapshot are in volumes of the cluster.",
            hint="Restore it: the new session has its files.",
        )

    async def compare(self, before: Snapshot, after: Snapshot) -> SnapshotComparison:
        """Return what differs; files in volumes are not compared. Raises Damaged, Unavailable."""
        old, new = await self.manifest(before), await self.manifest(after)
        if old is None or new is None:
            raise Conflict("A snapshot is not ready.", hint="Wait until it is.")
        found = compare(before.id, old, after.id, new)
        note = "Files in volumes of a cluster are not compared."
        return replace(found, problems=(*found.problems, note))

    def saving(self, session_id: str) -> datetime | None:
        """Return until when the pages of a session shall save, None if they need not."""
        return self._parts.pages.until(session_id)

    def page(self, session: Session, page: str, report: PageReport) -> None:
        """Note what a page of a session has reported."""
        self._parts.pages.put(session.id, page, report)
