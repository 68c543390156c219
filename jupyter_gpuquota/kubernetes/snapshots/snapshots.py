"""The port `Snapshots` on a cluster: manifests are in a lake, content is in snapshots of claims."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec.structs import replace

from ...control.datasets.job_board import JobBoard
from ...control.snapshots.capture import Maker
from ...control.snapshots.quiescence import SavingPages
from ...control.snapshots.registry import Registry
from ...control.snapshots.snapshots import StoredSnapshots
from ...core.snapshots.comparison import compare
from ...errors import FieldError, Unsupported, refused
from ...model.datasets.jobs import Job
from ...model.sessions import Session
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, Trigger
from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotFiles,
    SnapshotPreview,
    SnapshotRequest,
)
from .copies import Copies
from .export import Exporting
from .restores import ClaimRestores
from .verify import verified

_NOT_COMPARED = "On a cluster, the files in volumes and the cells of notebooks are not compared."


class ClusterSnapshots(StoredSnapshots[ClaimRestores]):
    """The snapshots of all users of a cluster."""

    def __init__(
        self,
        registry: Registry,
        maker: Maker,
        pages: SavingPages,
        restores: ClaimRestores,
        copies: Copies,
        board: JobBoard,
        exporting: Exporting,
    ) -> None:
        super().__init__(registry, maker, pages, restores)
        self._copies = copies
        self._board = board
        self._exporting = exporting

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot. Raises Conflict without a lake, InvalidFields for patterns."""
        _check(request)
        return await super().create(session, request, author, trigger)

    async def preview(
        self, session: Session, request: SnapshotRequest, author: str
    ) -> SnapshotPreview:
        """Return what is known before. Raises Conflict without a lake, InvalidFields."""
        _check(request)
        return await super().preview(session, request, author)

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Hash what the lake has of a snapshot, and look for its copies.

        Raises NotFound, Damaged for a manifest that does not match its id, Unavailable.
        """
        return await verified(self._board, self._copies, self._registry, snapshot, user)

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Raise Unsupported: the controller does not write to the folders of its clients."""
        raise Unsupported(
            "The files of this snapshot are in volumes of the cluster: they are streamed.",
            hint="Use jupyter gpu snapshot export, or Client().snapshots.export().",
        )

    async def files(self, snapshot: Snapshot, user: str) -> AsyncGenerator[SnapshotFiles]:
        """Yield an archive of the copies. Raises Conflict, Damaged, NotAllowed, Unavailable."""
        manifest = await self._registry.manifest(snapshot.id)
        async with aclosing(self._exporting.files(snapshot, manifest, user)) as parts:
            async for part in parts:
                yield part

    async def _remove_copies(self, snapshot: Snapshot) -> None:
        await self._copies.remove_of(await self._registry.manifest(snapshot.id))

    async def _compared(
        self, before: str, old: Manifest, after: str, new: Manifest
    ) -> SnapshotComparison:
        return replace(compare(before, old, after, new), problems=(_NOT_COMPARED,))


def _check(request: SnapshotRequest) -> None:
    """Raise InvalidFields for patterns: the storage copies volumes as a whole."""
    if request.exclude:
        text = "On a cluster, volumes are copied as a whole."
        raise refused(FieldError("exclude", text, "Leave it out, or choose volumes: --volume."))
