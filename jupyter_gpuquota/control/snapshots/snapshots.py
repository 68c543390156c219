"""The port `Snapshots`: what lakes hold, what is being made, and restores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from ...core.snapshots.comparison import compare
from ...errors import Conflict, FieldError, GpuQuotaError, InUse, refused
from ...model.datasets.files import CompareQuery, Comparison, ContentChunk
from ...model.datasets.jobs import Job
from ...model.datasets.versions import Version
from ...model.ending import PageReport
from ...model.sessions import Session
from ...model.snapshots.comparison import SnapshotComparison
from ...model.snapshots.manifest import Manifest, TreePart, Trigger
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest
from ...store.spawn import new_id
from ...store.tasks import in_thread
from .fetching import Fetching
from .folders import Folders
from .journal import Tree
from .making import Maker
from .notebook_diffs import SIZE, with_texts
from .pages import SavingPages
from .registry import Registry
from .restores import FolderRestores

_FILES = 1000
"""The most differing files in a comparison."""

Verify = Callable[[TreePart, str], Awaitable[Job]]
"""Starts to hash a tree again, for a user."""


class Files(Protocol):
    """The files of trees; the dataset of a version here is its lake."""

    async def compare(self, before: Version, after: Version, query: CompareQuery) -> Comparison:
        """Return a page of what differs. Raises Unavailable, Damaged."""

    async def content(self, version: Version, path: str, offset: int) -> ContentChunk:
        """Return some bytes of a file. Raises NotFound, WrongState, Unavailable, Damaged."""


class LakeSnapshots:
    """The snapshots of all users."""

    def __init__(
        self,
        registry: Registry,
        maker: Maker,
        pages: SavingPages,
        restores: FolderRestores,
        fetching: Fetching,
        folders: Folders,
        verify: Verify,
        files: Files,
    ) -> None:
        self.restores = restores
        self._registry = registry
        self._maker = maker
        self._pages = pages
        self._fetching = fetching
        self._folders = folders
        self._verify = verify
        self._files = files

    def all(self) -> tuple[Snapshot, ...]:
        """Return all snapshots without `actions`, newest first."""
        made_by = {snapshot: job for job, snapshot in self._maker.jobs.items()}
        ready = [
            replace(each.snapshot, job=made_by.get(each.snapshot.id, ""))
            for each in self._registry.all()
        ]
        known = {each.job for each in ready}
        found = [*ready, *(each for each in self._maker.all() if each.id not in known)]
        return tuple(sorted(found, key=lambda each: (each.created, each.id), reverse=True))

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""
        return self._registry.problems()

    async def manifest(self, snapshot: Snapshot) -> Manifest | None:
        """Return a manifest, None while there is none. Raises Damaged, Unavailable."""
        if snapshot.state in {"making", "failed"}:
            return None
        return await self._registry.manifest(snapshot.id)

    async def create(
        self, session: Session, request: SnapshotRequest, author: str, trigger: Trigger
    ) -> Snapshot:
        """Begin to take a snapshot. Raises Conflict."""
        parent = next((each.id for each in self.all() if _before(each, session)), "")
        restored = (r for r in self.restores.all() if r.session == session.id)
        parent = parent or next((each.snapshot for each in restored), "")
        return await self._maker.create(session, request, author, trigger, parent)

    async def mark(self, snapshot: Snapshot) -> Snapshot:
        """Store tags and pin. Raises Unavailable, NotFound."""
        return await self._registry.mark(snapshot)

    async def remove(self, snapshot: Snapshot) -> None:
        """Remove a snapshot, or cancel its making. Raises NotFound, InUse, Unavailable."""
        if snapshot.state in {"making", "failed"}:
            self._maker.cancel(snapshot.id)
            return
        if snapshot.id in self.restores.needed():
            raise InUse("The snapshot is being restored.", hint="Wait until that is done.")
        if self._registry.find(snapshot.id).snapshot.pin:
            raise InUse(
                "The snapshot is pinned.", hint="Unpin it first: jupyter gpu snapshot unpin."
            )
        await self._registry.remove(snapshot.id)

    async def verify(self, snapshot: Snapshot, user: str) -> Job:
        """Start to hash everything again. Raises Conflict, NotFound, Damaged."""
        return await self._verify(_tree(await self._registry.manifest(snapshot.id)), user)

    async def export(self, snapshot: Snapshot, folder: str, user: str) -> Job:
        """Start to write the files to a new folder. Raises Conflict, InvalidFields."""
        tree = _tree(await self._registry.manifest(snapshot.id))
        problem = "" if folder.startswith("/") else "Give an absolute path."
        problem = problem or await in_thread(self._folders.problem, folder)
        if not problem and await in_thread(self._folders.exists, folder):
            problem = f"{folder} exists already."
        if problem:
            raise refused(FieldError("folder", problem, "Name a new folder."))
        wanted = Tree(lake=tree.lake, dataset=tree.dataset, version=tree.version, size=tree.size)
        return await self._fetching.start(new_id(), wanted, folder, user)

    async def compare(self, before: Snapshot, after: Snapshot) -> SnapshotComparison:
        """Return what differs. Raises Damaged, Unavailable."""
        old, new = await self.manifest(before), await self.manifest(after)
        if old is None or new is None:
            raise Conflict("A snapshot is not ready.", hint="Wait until it is.")
        found = compare(before.id, old, after.id, new)
        if old.tree is None or new.tree is None:
            return replace(found, problems=("The files: one of the snapshots has none.",))
        trees = _version(old.tree), _version(new.tree)
        try:
            files = await self._files.compare(*trees, CompareQuery(limit=_FILES, other=""))
            read = partial(self._read, trees)
            notebooks, problems = await with_texts(found.notebooks, read, in_thread)
        except GpuQuotaError as error:
            return replace(found, problems=(f"The files: {error.message}",))
        return replace(
            found,
            files=files.items,
            all_files=files.total,
            notebooks=notebooks,
            problems=problems,
        )

    async def _read(self, trees: tuple[Version, Version], path: str) -> tuple[bytes, bytes]:
        """Return a file of two trees, each up to the size that is compared."""
        before, after = [await self._whole(tree, path) for tree in trees]
        return before, after

    async def _whole(self, tree: Version, path: str) -> bytes:
        body = b""
        while True:
            chunk = await self._files.content(tree, path, len(body))
            body += chunk.data
            if not chunk.data or len(body) >= chunk.size or len(body) > SIZE:
                return body

    def saving(self, session_id: str) -> datetime | None:
        """Return until when the pages of a session shall save, None if they need not."""
        return self._pages.until(session_id)

    def page(self, session: Session, page: str, report: PageReport) -> None:
        """Note what a page of a session has reported."""
        self._pages.put(session.id, page, report)


def _before(snapshot: Snapshot, session: Session) -> bool:
    return snapshot.session == session.id and snapshot.state in {"ready", "partial"}


def _tree(manifest: Manifest) -> TreePart:
    if manifest.tree is None:
        raise Conflict("The snapshot has no files.", hint="See why: jupyter gpu snapshot show.")
    return manifest.tree


def _version(tree: TreePart) -> Version:
    return Version(dataset=tree.lake, id=tree.version, time=datetime.now(UTC))
