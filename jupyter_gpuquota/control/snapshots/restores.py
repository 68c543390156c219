"""Restoring snapshots. Each restore is recorded before every step: a restart goes on with it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from ...core.snapshots import restore, volumes
from ...core.snapshots.restore import Found, Space
from ...core.snapshots.volumes import mounting
from ...errors import Conflict, FieldError, Internal, NotFound, refused
from ...model.sessions import Session
from ...model.snapshots.manifest import EnvironmentPart, Manifest, TreePart
from ...model.snapshots.restore import Restoration, RestoreRequest
from ...ports.snapshots import RestoreOrder
from ...store.lake import layout
from ...store.spawn import new_id
from ...store.tasks import in_thread
from ..volumes.restored import RestoredVolumes
from ..volumes.store import VolumeRecord
from .folders import Fetching, Folders
from .journal import Journal, NewVolume, Record, Restores, Tree, moved, tree_of
from .registry import Registry

_VOLUMES_ONLY = (
    "Storing the session's folder had failed: its volumes can be restored into a new session."
)


class FolderRestores(Restores[Record]):
    """Restores into folders: a job writes the files, then a session is launched in them."""

    def __init__(
        self,
        registry: Registry,
        journal: Journal[Record],
        folders: Folders,
        fetching: Fetching,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(journal, changed)
        self.finding = Finding(registry, folders)
        """What looks for what is there; it knows the volumes, if any can be made."""
        self._folders = folders
        self._fetching = fetching

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there, before anything is made. Raises InvalidFields, Unavailable."""
        return await self.finding.found(manifest, request, name)

    async def begin(self, order: RestoreOrder) -> Restoration:
        """Begin a restore. Raises Conflict, StorageFailed, Unavailable."""
        return await self._begin(record_of(order, self.finding.volumes))

    async def _step(self, record: Record, *, again: bool) -> Record:
        """Carry out one step, which may have been done before a kill already."""
        if record.shown.state == "fetching":
            record = await self._fetched(record, again=again)
            for each in record.volumes:
                await self._volumes.complete(each.record, record.shown.id)
            return moved(record, "launching" if record.spec else "done")
        session = await self._launched(record)
        return moved(replace(record, shown=replace(record.shown, session=session.id)), "done")

    async def _fetched(self, record: Record, *, again: bool) -> Record:
        """Write what is not there yet; another job does what a killed one has left."""
        if record.spec and record.tree is None:
            await in_thread(self._folders.make, record.spec.folder)
        left = await self._left(record) if again else list(record.trees)
        if again and left:
            await self._fetching.outlast(record, self._folders)
            left = await self._left(record)
            record = replace(record, shown=replace(record.shown, job=new_id()))
            await self._journal.put(record)
        for each in record.volumes:
            if each.tree in left:
                await self._volumes.begin(each.record, record.shown.id)
        if left:
            await self._fetching.fetch(record, left, self._folders)
        return record

    async def _left(self, record: Record) -> list[Tree]:
        """Return the trees of a restore that are not in their places."""
        there = {each.tree.folder for each in record.volumes if self._volumes.has(each.record)}

        def is_left(folder: str) -> bool:
            return folder not in there and not self._folders.exists(folder)

        return [each for each in record.trees if await in_thread(is_left, each.folder)]

    @property
    def _volumes(self) -> RestoredVolumes:
        if self.finding.volumes is None:
            raise Internal("The backend is not complete.")
        return self.finding.volumes

    async def _launched(self, record: Record) -> Session:
        """Return the session in the new folder; launch it unless an earlier try has."""
        assert record.spec, "only restores with a session are launched"  # noqa: S101 (our own bug)
        if self.sessions is None:
            raise Internal("The backend is not complete.")
        for session in self.sessions.all():
            if (session.spec.folder, session.owner) == (record.spec.folder, record.shown.owner):
                return session
        return await self.sessions.create(record.spec, record.shown.owner)

    async def _sweep(self) -> None:
        """Remove volumes that were begun for restores which are over."""
        if self.finding.volumes:
            active = {each.id for each in self.all() if each.active}
            await self.finding.volumes.keep_only(active)


def record_of(order: RestoreOrder, volumes: RestoredVolumes | None) -> Record:
    """Return the record of a restore, without a folder if there are volumes only.

    Raises Conflict for a snapshot without files.
    """
    tree, now = order.manifest.tree, datetime.now(UTC)
    if tree is None and not order.claims:
        raise Conflict("The snapshot has no files.", hint="See why: jupyter gpu snapshot show.")
    shown = Restoration(
        id=new_id(),
        snapshot=order.snapshot.id,
        owner=order.owner,
        state="fetching",
        folder=order.folder if tree else "",
        name=order.name if order.spec else "",
        job=new_id(),
        begun=now,
        updated=now,
        volumes=tuple(order.claims.values()),
        original=order.original,
    )
    return Record(
        shown=shown,
        tree=tree_of(tree, order.folder, variables=order.variables) if tree else None,
        spec=mounting(order.spec, order.claims) if order.spec else None,
        volumes=tuple(_volumes(order, shown, volumes)) if volumes else (),
    )


def _volumes(
    order: RestoreOrder, shown: Restoration, volumes: RestoredVolumes
) -> Iterator[NewVolume]:
    """Yield the volumes to make; each may become as large as its original may now."""
    sizes = volumes.sizes(order.manifest.project)
    for part in order.manifest.volumes:
        if part.tree and part.volume in order.claims:
            record = VolumeRecord(
                name=order.claims[part.volume],
                project=order.manifest.project,
                owner=order.owner,
                description=f"{part.volume} of the snapshot {order.snapshot.short}.",
                size=sizes.get(part.volume, 0),
                created=shown.begun,
            )
            folder = volumes.folder(record, shown.id)
            yield NewVolume(record=record, tree=tree_of(part.tree, folder))


class Finding:
    """Looks without making anything. Without `volumes` none are made."""

    def __init__(self, registry: Registry, folders: Folders) -> None:
        self.volumes: RestoredVolumes | None = None
        self._registry = registry
        self._folders = folders

    async def found(self, manifest: Manifest, request: RestoreRequest, name: str) -> Found:
        """Return what is there. Raises InvalidFields, Unavailable."""
        folder = posixpath.normpath(request.folder or await self._place(manifest, name))
        if not folder.startswith("/"):
            raise refused(FieldError("folder", "Give an absolute path."))
        problem = await in_thread(self._folders.problem, folder)
        problems = {"folder": problem} if problem else {}
        stored = {each.volume: each.tree for each in manifest.volumes if each.tree}
        claims: dict[str, str] = {}
        if self.volumes and request.launch:
            taken = self.volumes.sizes(manifest.project)
            claims = volumes.new_names(manifest, name, taken)
        copies = {volume: stored[volume] for volume in claims}
        for volume, tree in copies.items():
            if not await self._has(tree):
                problems[f"volumes.{volume}"] = f"The lake {tree.lake} no longer has its files."
        if manifest.tree is None and stored and not claims:
            problems["snapshot"] = _VOLUMES_ONLY
        return Found(
            folder=folder,
            taken=await in_thread(self._folders.exists, folder),
            tree=await self._has(manifest.tree) if manifest.tree else True,
            spaces=await in_thread(self._spaces, folder, manifest.tree, copies),
            claims=claims,
            environment=await self._environment(manifest, request),
            problems=problems,
        )

    async def _environment(
        self, manifest: Manifest, request: RestoreRequest
    ) -> EnvironmentPart | None:
        """Return what the session would start from, None where that is not known."""
        prefix = manifest.spec.environment
        if not (request.launch and manifest.environment.packages and prefix.startswith("/")):
            return None
        return await in_thread(self._folders.environment, prefix)

    async def _place(self, manifest: Manifest, name: str) -> str:
        """Return the first place in which a folder can be made, or else the best one."""
        places = restore.places(manifest.spec.folder, name, self._folders.root)
        for each in places:
            if not await in_thread(self._folders.problem, each):
                return each
        return places[0]

    def _spaces(
        self, folder: str, tree: TreePart | None, copies: Mapping[str, TreePart]
    ) -> tuple[Space, ...]:
        """Return what would be written to each file system; that of the folder is the first."""
        wanted = [(folder, tree.size if tree else 0)]
        root = self.volumes.root if self.volumes else ""
        wanted += [(posixpath.join(root, name), each.size) for name, each in copies.items()]
        found: dict[int, Space] = {}
        for path, size in wanted:
            if known := self._folders.space(path):
                device, free = known
                before = found.get(device, Space(path, 0))
                found[device] = Space(before.folder, before.size + size, free)
        return tuple(found.values())

    async def _has(self, tree: TreePart) -> bool:
        """Return whether a lake still has the files of a tree."""
        try:
            await self._registry.objects(tree.lake).head(layout.manifest(tree.version))
        except NotFound:
            return False
        return True
