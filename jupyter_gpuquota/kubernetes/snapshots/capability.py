"""The port `Snapshots` on a cluster: manifests are in a lake, content is in snapshots of claims."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from ...control.snapshots.capture import Maker
from ...control.snapshots.quiescence import SavingPages
from ...control.snapshots.registry import Registry
from ...core.snapshots import retention
from ...core.snapshots.comparison import compare
from ...errors import Conflict, Unsupported
from ...model.datasets.jobs import Job
from ...model.ending import PageReport
from ...model.sessions import Session
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotFiles, SnapshotRequest
from .copies.named import ClaimCopies
from .reading.exporting import Exporting
from .restores import ClaimRestores
from .verifying import Verifying

UNFINISHED = frozenset({"making", "failed"})
_NOT_COMPARED = "On a cluster, the files in volumes and the cells of notebooks are not compared."


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What snapshots of a cluster consist of."""

    registry: Registry
    maker: Maker
    pages: SavingPages
    copies: ClaimCopies
    restores: ClaimRestores
    verifying: Verifying
    exporting: Exporting


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
        registry = self._parts.registry
        known = registry.find(snapshot.id).snapshot
        retention.check_removable(known, self.restores.needed())
        await self._parts.copies.remove(await registry.manifest(snapshot.id))
        await registry.remove(snapshot.id)

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Hash what the lake has of a snapshot, and look for its copies.

        Raises NotFound, Damaged for a manifest that does not match its id, Unavailable.
        """
        return await self._parts.verifying.verified(snapshot, user)

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Raise Unsupported: the controller does not write to the folders of its clients."""
        raise Unsupported(
            "The files of this snapshot are in volumes of the cluster: they are streamed.",
            hint="Use jupyter gpu snapshot export, or Client().snapshots.export().",
        )

    async def files(self, snapshot: Snapshot, user: str) -> AsyncGenerator[SnapshotFiles]:
        """Yield an archive of the copies. Raises Conflict, Damaged, NotAllowed, Unavailable."""
        manifest = await self._parts.registry.manifest(snapshot.id)
        async with aclosing(self._parts.exporting.files(snapshot, manifest, user)) as parts:
            async for part in parts:
                yield part

    async def compare(self, before: Snapshot, after: Snapshot) -> SnapshotComparison:
        """Return what differs by the manifests. Raises Conflict, Damaged, Unavailable."""
        old, new = await self.manifest(before), await self.manifest(after)
        if old is None or new is None:
            raise Conflict("A snapshot is not ready.", hint="Wait until it is.")
        found = compare(before.id, old, after.id, new)
        return replace(found, problems=(_NOT_COMPARED,))

    def saving(self) -> Mapping[str, datetime]:
        """Return until when the pages of which sessions shall save."""
        return self._parts.pages.saving()

    def page(self, session: Session, page: str, report: PageReport) -> None:
        """Note what a page of a session has reported."""
        self._parts.pages.put(session.id, page, report)
