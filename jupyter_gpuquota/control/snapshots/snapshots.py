"""The port `Snapshots`: what lakes hold, what is being made, and restores."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from ...core.snapshots import retention
from ...errors import Conflict, FieldError, refused
from ...model.datasets.jobs import Job
from ...model.ending import PageReport
from ...model.sessions import Session
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, TreePart, Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotPreview, SnapshotRequest
from ...store.spawn import new_id
from ...store.tasks import in_thread
from .capture import Maker
from .comparison import Comparing
from .folders import Fetching, Folders
from .journal import Restores, tree_of
from .quiescence import SavingPages
from .registry import Registry, not_loaded
from .restores import FolderRestores

Verify = Callable[[Sequence[TreePart], str], Awaitable[Job]]
"""Starts to hash trees of one lake again, for a user."""
_UNFINISHED = frozenset({"making", "failed"})
R = TypeVar("R", bound=Restores[Any])


class StoredSnapshots(ABC, Generic[R]):
    """The snapshots of all users: their manifests are in lakes, whatever has their files."""

    def __init__(self, registry: Registry, maker: Maker, pages: SavingPages, restores: R) -> None:
        self.restores: R = restores
        self._registry = registry
        self._maker = maker
        self._pages = pages

    def all(self) -> tuple[Snapshot, ...]:
        """Return all snapshots without `actions`, newest first. Raises NotLoaded after a start."""
        if not self._registry.loaded.is_set():
            raise not_loaded()
        making = {(each.session, each.created): each for each in self._maker.all()}
        found = []
        for entry in self._registry.all():
            each = entry.snapshot
            making.pop((each.session, each.created), None)
            found.append(each)
        found += making.values()
        return tuple(sorted(found, key=lambda each: (each.created, each.id), reverse=True))

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""
        return self._registry.problems()

    async def manifest(self, snapshot: Snapshot) -> Manifest | None:
        """Return a manifest, None while there is none. Raises Damaged, Unavailable."""
        if snapshot.state in _UNFINISHED:
            return None
        return await self._registry.manifest(snapshot.id)

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot. Raises Conflict without a lake."""
        earlier = [
            each.id
            for each in self.all()
            if each.session == session.id and each.state not in _UNFINISHED
        ]
        origins = [each.snapshot for each in self.restores.all() if each.session == session.id]
        parent = next(iter([*earlier, *origins]), "")
        return await self._maker.create(session, request, author, trigger, parent)

    async def preview(
        self, session: Session, request: SnapshotRequest, author: str
    ) -> SnapshotPreview:
        """Return what a snapshot would store now: here nobody knows. Raises Conflict."""
        self._maker.order(session, request, author)
        return SnapshotPreview()

    async def mark(self, snapshot: Snapshot) -> Snapshot:
        """Store tags and pin. Raises Unavailable, NotFound."""
        return await self._registry.mark(snapshot)

    async def remove(self, snapshot: Snapshot) -> None:
        """Remove a snapshot, its manifest last, or cancel its making.

        Who is interrupted can do it again. Raises NotFound, InUse, NotAllowed, Unavailable.
        """
        if snapshot.state in _UNFINISHED:
            self._maker.cancel(snapshot.id)
            return
        known = self._registry.find(snapshot.id).snapshot
        retention.check_removable(known, self.restores.needed())
        await self._remove_copies(snapshot)
        await self._registry.remove(snapshot.id)

    async def compare(self, before: Snapshot, after: Snapshot) -> SnapshotComparison:
        """Return what differs. Raises Conflict, Damaged, Unavailable."""
        old, new = await self.manifest(before), await self.manifest(after)
        if old is None or new is None:
            raise Conflict("A snapshot is not ready.", hint="Wait until it is.")
        return await self._compared(before.id, old, after.id, new)

    def saving(self) -> Mapping[str, datetime]:
        """Return until when the pages of which sessions shall save."""
        return self._pages.saving()

    def page(self, session: Session, page: str, report: PageReport) -> None:
        """Note what a page of a session has reported."""
        self._pages.put(session.id, page, report)

    async def _remove_copies(self, snapshot: Snapshot) -> None:
        """Remove what a snapshot has elsewhere than in its lake."""

    @abstractmethod
    async def _compared(
        self, before: str, old: Manifest, after: str, new: Manifest
    ) -> SnapshotComparison:
        """Return what differs. Raises Damaged, Unavailable."""


class LakeSnapshots(StoredSnapshots[FolderRestores]):
    """The snapshots of all users, with their files in lakes."""

    def __init__(
        self,
        registry: Registry,
        maker: Maker,
        pages: SavingPages,
        restores: FolderRestores,
        fetching: Fetching,
        folders: Folders,
        verify: Verify,
        comparing: Comparing,
    ) -> None:
        super().__init__(registry, maker, pages, restores)
        self._fetching = fetching
        self._folders = folders
        self._verify = verify
        self._comparing = comparing

    async def preview(
        self, session: Session, request: SnapshotRequest, author: str
    ) -> SnapshotPreview:
        """Return what a snapshot would store now. Raises Conflict without a lake."""
        order = self._maker.order(session, request, author)
        return await in_thread(self._folders.preview, order)

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Start to hash everything again. Raises Conflict, NotFound, Damaged."""
        return await self._verify(_trees(await self._registry.manifest(snapshot.id)), user)

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Start to write the files to a new folder. Raises Conflict, InvalidFields."""
        manifest = await self._registry.manifest(snapshot.id)
        problem = "" if folder.startswith("/") else "Give an absolute path."
        problem = problem or await in_thread(self._folders.problem, folder)
        if not problem and await in_thread(self._folders.exists, folder):
            problem = f"{folder} exists already."
        if problem:
            raise refused(FieldError("folder", problem, "Name a new folder."))
        wanted = [tree_of(manifest.tree, folder)] if manifest.tree else []
        for part in manifest.volumes:
            below = posixpath.join(folder, part.path.strip("/") or part.volume)
            wanted += [tree_of(part.tree, below)] if part.tree else []
        if not wanted:
            raise _nothing()
        return await self._fetching.start(new_id(), wanted, user)

    async def _compared(
        self, before: str, old: Manifest, after: str, new: Manifest
    ) -> SnapshotComparison:
        return await self._comparing.compare(before, old, after, new)


def _trees(manifest: Manifest) -> Sequence[TreePart]:
    if not manifest.trees:
        raise _nothing()
    return manifest.trees


def _nothing() -> Conflict:
    return Conflict("The snapshot has no files.", hint="See why: jupyter gpu snapshot show.")
