"""The snapshots in lakes, as last read: a manifest is read once, as it never changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from ...core.snapshots import identity
from ...core.snapshots.restore import lost_parts
from ...errors import Damaged, GpuQuotaError, NotFound, NotLoaded
from ...model.snapshots.manifest import LAKE, Manifest
from ...model.snapshots.snapshots import Snapshot, SnapshotPin
from ...model.struct import decoded
from ...store.lake import layout
from ...store.lake.history import Commit
from ...store.lake.objects import Objects, Stored

_UNREAD = "Its tags and its pin cannot be read: set them anew."
_log = logging.getLogger(__name__)

Lakes = Callable[[], Mapping[str, Objects]]
"""The lakes that can be opened now, by name, the default one first."""


def not_loaded() -> NotLoaded:
    """Return the error of what is not known before the lakes have been read."""
    return NotLoaded(
        "The snapshots are being read from their lakes.", hint="Try again in a moment."
    )


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What may change of a snapshot."""

    tags: tuple[str, ...] = ()
    pin: SnapshotPin | None = None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot in a lake, with the versions that its files are."""

    lake: str
    snapshot: Snapshot
    trees: frozenset[str] = frozenset()


class Registry:
    """The snapshots of all lakes. `changed` is called after every change."""

    def __init__(self, lakes: Lakes, changed: Callable[[], None]) -> None:
        self._lakes = lakes
        self._changed = changed
        self._entries: Mapping[str, Entry] = MappingProxyType({})
        self._read: dict[tuple[str, str], tuple[str, Entry]] = {}
        self._problems: tuple[str, ...] = ()
        self._unread: frozenset[str] = frozenset()
        self.loaded = asyncio.Event()
        """Set once the lakes have been read, as far as they answer."""

    def all(self) -> tuple[Entry, ...]:
        """Return all snapshots, in no order."""
        return tuple(self._entries.values())

    def problems(self) -> tuple[str, ...]:
        """Return what cannot be read."""
        return self._problems if self.loaded.is_set() else (not_loaded().message,)

    def lakes(self) -> tuple[str, ...]:
        """Return the names of the lakes that can be opened now."""
        return tuple(self._lakes())

    def knows_all(self, lake: str) -> bool:
        """Return whether every snapshot of a lake could be read: else others may need its trees."""
        return lake not in self._unread

    def find(self, snapshot: str) -> Entry:
        """Return one snapshot. Raises NotFound."""
        if snapshot not in self._entries:
            raise NotFound(
                f"Snapshot {snapshot[:12]!r} not found.",
                hint="List yours: jupyter gpu snapshot list.",
            )
        return self._entries[snapshot]

    def objects(self, lake: str) -> Objects:
        """Return the objects of a lake. Raises NotFound."""
        lakes = self._lakes()
        if lake not in lakes:
            raise NotFound(f"The lake {lake} cannot be opened.", hint="Ask an administrator.")
        return lakes[lake]

    async def refresh(self) -> None:
        """Read what is new. What a lake that does not answer had said stays."""
        found: dict[str, Entry] = {}
        problems: list[str] = []
        unread = set()
        for name, objects in self._lakes().items():
            before_it = len(problems)
            try:
                found = {**await self._of(name, objects, problems), **found}
            except GpuQuotaError as error:
                problems.append(f"Snapshots in lake {name}: {error.message}")
                old = (each for each in self._entries.values() if each.lake == name)
                found = {**{each.snapshot.id: each for each in old}, **found}
            if len(problems) > before_it:
                unread.add(name)
        self._unread = frozenset(unread)
        self.loaded.set()
        before = (dict(self._entries), self._problems)
        self._entries, self._problems = MappingProxyType(found), tuple(problems)
        if (found, self._problems) != before:
            self._changed()

    async def manifest(self, snapshot: str) -> Manifest:
        """Return a manifest, checked against its id. Raises NotFound, Damaged, Unavailable."""
        entry = self.find(snapshot)
        key = identity.key(entry.snapshot.owner, snapshot)
        return identity.decode(await self.objects(entry.lake).get(key), snapshot)

    async def mark(self, snapshot: Snapshot) -> Snapshot:
        """Store the tags and the pin of a snapshot. Raises NotFound, Unavailable."""
        entry = self.find(snapshot.id)
        marks = Marks(tags=snapshot.tags, pin=snapshot.pin)
        key = identity.marks_key(entry.snapshot.owner, snapshot.id)
        await self.objects(entry.lake).put(key, msgspec.json.encode(marks))
        await self.refresh()
        return self.find(snapshot.id).snapshot

    async def remove(self, snapshot: str) -> None:
        """Remove a manifest, then the commits of its trees that no other one needs.

        Raises NotFound, Unavailable.
        """
        entry = self.find(snapshot)
        owner, objects = entry.snapshot.owner, self.objects(entry.lake)
        every = [each.key async for each in objects.list(identity.folder(owner))]
        await objects.delete(identity.keys_of(owner, snapshot, every))
        await self.refresh()
        if self.knows_all(entry.lake):
            await drop_trees(objects, owner, entry.trees - self.needed(entry.lake))

    async def drop_left(self, lake: str, before: datetime) -> None:
        """Remove what was stored before a time for snapshots that have no manifest.

        Whoever stored it was killed, or the snapshot was removed meanwhile. Raises NotFound,
        Unavailable.
        """
        objects = self.objects(lake)
        written = {each.key: each.written async for each in objects.list(identity.SNAPSHOTS)}
        await objects.delete([key for key in identity.left(written) if written[key] < before])

    def needed(self, lake: str) -> frozenset[str]:
        """Return the versions in a lake that its snapshots consist of."""
        return frozenset().union(*(each.trees for each in self.all() if each.lake == lake))

    async def _of(self, lake: str, objects: Objects, problems: list[str]) -> dict[str, Entry]:
        """Return the snapshots of one lake."""
        stored = {each.key: each async for each in objects.list(identity.SNAPSHOTS)}
        found: dict[str, Entry] = {}
        for key, each in stored.items():
            snapshot = identity.snapshot_of(key)
            if not snapshot:
                continue
            marks = stored.get(f"{key.removesuffix(identity.MANIFEST)}{identity.MARKS}")
            try:
                found[snapshot] = await self._entry(lake, objects, each, marks, problems)
            except Damaged as error:
                problems.append(error.message)
            except NotFound:
                continue  # it was removed meanwhile
        for known in [known for known in self._read if known[0] == lake and known[1] not in stored]:
            del self._read[known]
        return found

    async def _entry(
        self,
        lake: str,
        objects: Objects,
        stored: Stored,
        marks: Stored | None,
        problems: list[str],
    ) -> Entry:
        """Return one snapshot, from memory unless it or its marks were written since.

        One whose marks cannot be read counts as pinned.
        """
        parts = (each for each in (stored, marks) if each)
        sign = " ".join(f"{each.mark} {each.size} {each.written.timestamp()}" for each in parts)
        known = self._read.get((lake, stored.key))
        if known and known[0] == sign:
            return known[1]
        snapshot = identity.snapshot_of(stored.key)
        manifest = identity.decode(await objects.get(stored.key), snapshot)
        entry = entry_of(lake, snapshot, manifest)
        if marks:
            try:
                said = decoded(await objects.get(marks.key), Marks)
            except msgspec.DecodeError as error:
                problems.append(f"{marks.key} in the lake is malformed: {error}.")
                unread = SnapshotPin(why=_UNREAD, since=manifest.created)
                return replace(entry, snapshot=replace(entry.snapshot, pin=unread))
            shown = replace(entry.snapshot, tags=said.tags, pin=said.pin)
            entry = replace(entry, snapshot=shown)
        self._read[lake, stored.key] = (sign, entry)
        return entry


def entry_of(lake: str, snapshot: str, manifest: Manifest) -> Entry:
    """Return what is listed of a manifest."""
    tree, trees = manifest.tree, manifest.trees
    parts = lost_parts(manifest)
    lake_first = [LAKE] if trees else []
    of_trees = (each.provider for each in trees)
    providers = [*lake_first, *of_trees, *(each.provider for each in manifest.volumes)]
    made = [*([tree.mechanism] if tree else []), *(each.mechanism for each in manifest.volumes)]
    instant = set(made) == {"instant"}
    shown = Snapshot(
        id=snapshot,
        session=manifest.session,
        name=manifest.name,
        project=manifest.project,
        owner=manifest.owner,
        created=manifest.created,
        note=manifest.note,
        tags=manifest.tags,
        trigger=manifest.trigger,
        parent=manifest.parent,
        state="partial" if parts else "ready",
        files=sum(each.files for each in trees),
        size=(tree.size if tree else 0) + sum(each.size for each in manifest.volumes),
        added=_added(manifest),
        consistency=manifest.consistency,
        mechanism="instant" if instant else "copy",
        data=manifest.data,
        providers=tuple(dict.fromkeys(filter(None, providers))),
        metrics=manifest.metrics,
        problems=len(parts),
        job=manifest.job,
    )
    return Entry(lake=lake, snapshot=shown, trees=frozenset(each.version for each in trees))


def _added(manifest: Manifest) -> int | None:
    """Return the bytes that were new to the lake, None where copies do not tell what they take."""
    if any(each.provider != LAKE for each in manifest.volumes):
        return None
    return sum(each.added for each in manifest.trees)


async def drop_trees(objects: Objects, owner: str, versions: Collection[str]) -> None:
    """Remove the commits of trees, so that `gc` frees what nothing else needs."""
    stored = await trees(objects, owner) if versions else []
    await objects.delete([each.key for each, found in stored if found in versions])


async def trees(objects: Objects, owner: str) -> list[tuple[Stored, str]]:
    """Return the readable commits of the trees of an owner, as objects, with their versions."""
    datasets = (identity.tree_dataset(owner), identity.volume_dataset(owner))
    stored = [each for name in datasets async for each in objects.list(layout.commits(name))]
    found = []
    for each in stored:
        try:
            found.append((each, decoded(await objects.get(each.key), Commit).version))
        except NotFound:
            continue  # it was removed meanwhile
        except msgspec.DecodeError as error:
            _log.warning("%s in the lake is malformed, and stays: %s.", each.key, error)
    return found
