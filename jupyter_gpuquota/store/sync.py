"""Making a version of a folder: storing it in a lake, and adding it to a dataset's history."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..errors import Conflict, Damaged
from .catalog import Catalog
from .disk.failures import own_files
from .lake import layout
from .lake.history import Commit, History
from .lake.objects import Objects
from .lake.presence import writing
from .packs import Held, decode_index
from .progress import Report
from .sources import Source
from .upload import Upload

_AT_ONCE = 32
_log = logging.getLogger(__name__)


async def refresh(catalog: Catalog, objects: Objects) -> None:
    """Note every pack and object of a lake, and forget those that are gone.

    A pack counts once its index exists, which is written after it.
    """
    # What another process adds after this is not missed in a list that was made before.
    known, known_objects = catalog.packs(), catalog.objects()
    found = {layout.name_of(key) async for key in _keys(objects, layout.PACKS)}
    packs = {name.removesuffix(layout.INDEX) for name in found if name.endswith(layout.INDEX)}
    whole = {layout.name_of(key) async for key in _keys(objects, layout.OBJECTS)}
    indexes = await _read(objects, sorted(packs - known))
    with catalog.batch():
        catalog.drop_packs(known - packs)
        for pack, index in indexes:
            catalog.add_pack(pack, _held(pack, index))
        catalog.drop_objects(known_objects - whole)
        catalog.add_objects(whole - known_objects)


async def _read(objects: Objects, packs: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return the indexes of packs."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(pack: str) -> tuple[str, bytes]:
        async with limit:
            return pack, await objects.get(layout.index(pack))

    return await asyncio.gather(*map(one, packs))


def _held(pack: str, index: bytes) -> list[Held]:
    """Return what a pack holds: nothing if its index is damaged, so that this is sent again."""
    try:
        return list(decode_index(index))
    except Damaged as error:
        _log.warning("%s in the lake is malformed: %s", layout.index(pack), error.message)
        return []


async def _keys(objects: Objects, prefix: str) -> AsyncIterator[str]:
    async for stored in objects.list(prefix):
        yield stored.key


async def _latest(history: History, dataset: str) -> Commit | None:
    """Return the last commit that can be read; those that cannot be are named in the log."""
    commits = await history.commits(dataset)
    for why in history.damaged.values():
        _log.warning("%s The version is added after the others.", why)
    return commits[-1] if commits else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be synced: a folder, as the next version of a dataset, and what is said of it."""

    dataset: str
    folder: Path | Source
    message: str = ""
    author: str = ""
    tag: str = ""
    source: str = ""


async def sync(
    wanted: Wanted,
    objects: Objects,
    history: History,
    catalog: Catalog,
    *,
    clock: Callable[[], datetime],
    report: Report,
) -> Commit:
    """Return the commit of a folder's version; the last one if nothing has changed since.

    :raises InvalidFields: the folder contains what a version cannot.
    :raises Conflict: a file does not stop changing, or this process was suspended for so long that
        the lake took it for dead.
    :raises StorageFailed: a file cannot be read, or the disk for temporary files is full.
    """
    async with writing(objects) as presence:
        with own_files():
            await refresh(catalog, objects)
            uploaded = await Upload(objects, catalog, report).run(wanted.folder)
        latest = await _latest(history, wanted.dataset)
        added = ""
        commit = Commit(
            version=uploaded.version,
            parents=(latest.version,) if latest else (),
            message=wanted.message,
            author=wanted.author,
            time=clock(),
            stats=uploaded.stats,
            source=wanted.source,
        )
        if latest and latest.version == commit.version:
            commit = latest
        elif await presence.remains():
            added = await history.add(wanted.dataset, commit)
        if not await presence.remains():
            # Objects that the version needs may have been removed meanwhile.
            await objects.delete([added] if added else [])
            raise Conflict(
                f"The sync of {wanted.dataset} was interrupted for too long.",
                hint="Sync again: what was sent is kept for an hour.",
            )
        if wanted.tag:
            await history.tag(wanted.dataset, wanted.tag, commit.version)
        return commit
