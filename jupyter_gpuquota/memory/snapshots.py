"""Snapshots without folders: of a session's files there is only its request."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from ..control.datasets.job_board import JobBoard
from ..core.snapshots import identity
from ..core.snapshots.volumes import copied, left_out
from ..errors import GpuQuotaError, NotFound
from ..model.datasets.jobs import JobReport
from ..model.snapshots.manifest import LAKE, EnvironmentPart, Manifest, TreePart, VolumePart
from ..model.snapshots.orders import SnapshotOrder
from ..model.snapshots.snapshots import SnapshotPreview
from ..model.struct import problem_of
from ..store import manifest
from ..store.entries import Entry, Location
from ..store.lake import layout
from ..store.lake.history import Commit, History, Stats
from ..store.lake.objects import Objects

_FILE = "request.json"


class MemoryFolders:
    """Folders that exist in name only."""

    root = ""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def preview(self, order: SnapshotOrder) -> SnapshotPreview:
        """Return the requests that stand for the files of the session and of its volumes."""
        mounts = copied(order.draft.spec, order.volumes)
        bodies = [msgspec.json.encode(each) for each in (order.draft.spec, *mounts)]
        return SnapshotPreview(files=len(bodies), size=sum(map(len, bodies)))

    def environment(self, prefix: str) -> EnvironmentPart | None:
        """Return None: nothing is installed."""
        return None

    def problem(self, folder: str) -> str:
        """Return an empty text: every folder can be made."""
        return ""

    def exists(self, folder: str) -> bool:
        """Return whether a folder has this name."""
        return folder in self.names

    def space(self, folder: str) -> tuple[int, int] | None:
        """Return None: nothing is written."""
        return None

    def make(self, folder: str) -> None:
        """Give a folder this name."""
        self.names.add(folder)

    def remove(self, folder: str) -> None:
        """Remove a folder."""
        self.names.discard(folder)


class MemoryProcess:
    """Makes snapshots as tasks of this process."""

    def __init__(
        self,
        board: JobBoard,
        folders: MemoryFolders,
        objects: Callable[[str], Objects | None],
    ) -> None:
        self._board = board
        self._folders = folders
        self._objects = objects
        self._running: set[asyncio.Task[None]] = set()

    async def start(self, order: SnapshotOrder, file: str, lake: str) -> None:
        """Start to make a snapshot."""
        task = asyncio.create_task(self._make(order, lake))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """Stop making snapshots."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _make(self, order: SnapshotOrder, lake: str) -> None:
        report = JobReport(kind="snapshot", folder=order.folder, state="running")
        try:
            objects = self._objects(lake)
            if objects is None:
                raise NotFound(f"The lake {lake} is gone.", hint="Try again.")
            self._folders.names.add(order.folder)
            dataset = identity.tree_dataset(order.draft.owner)
            place = TreePart(folder=order.folder, lake=lake, dataset=dataset, version="")
            tree = await _stored(objects, order, place, msgspec.json.encode(order.draft.spec))
            made = await _with_volumes(objects, order, lake)
            self._folders.names |= {each.tree.folder for each in made.volumes if each.tree}
            body = identity.encode(replace(made, tree=tree))
            snapshot = identity.identity(body)
            await objects.create(identity.key(order.draft.owner, snapshot), body)
            report = replace(report, state="done", version=snapshot)
        except GpuQuotaError as error:
            report = replace(report, state="failed", problem=problem_of(error))
        await self._board.report(order.id, report, order.draft.owner)


async def _with_volumes(objects: Objects, order: SnapshotOrder, lake: str) -> Manifest:
    """Return the manifest of an order with copies of its volumes, each the request to mount it."""
    draft, parts = order.draft, []
    dataset = identity.volume_dataset(draft.owner)
    for each in copied(draft.spec, order.volumes):
        tree = await _stored(
            objects,
            order,
            TreePart(
                folder=f"/demo/volumes/{draft.project}/{each.volume}",
                lake=lake,
                dataset=dataset,
                version="",
            ),
            msgspec.json.encode(each),
        )
        parts.append(
            VolumePart(
                volume=each.volume,
                path=each.path,
                provider=LAKE,
                handle=tree.version,
                size=tree.size,
                tree=tree,
                consistency=draft.consistency,
            )
        )
    names = [each.volume for each in parts]
    problems = (*draft.problems, *left_out(draft.spec, names))
    return replace(draft, volumes=tuple(parts), problems=problems)


async def _stored(
    objects: Objects, order: SnapshotOrder, tree: TreePart, content: bytes
) -> TreePart:
    """Store the only file of a folder as a version; return the tree with that."""
    draft = order.draft
    sha256 = hashlib.sha256(content).hexdigest()
    entry = (Entry(_FILE, size=len(content), sha256=sha256), Location(pack=sha256))
    version, body = manifest.encode([entry])
    new = await objects.create(layout.pack(sha256), content)
    await objects.create(layout.manifest(version), body)
    stats = Stats(1, len(content), len(content) if new else 0)
    commit = Commit(
        version=version,
        author=draft.author,
        time=draft.created,
        stats=stats,
        source=f"session:{draft.session}",
    )
    await History(objects, conditional=True).add(tree.dataset, commit)
    return replace(tree, version=version, files=stats.files, size=stats.bytes, added=stats.added)
