"""The datasets of one lake, as last read.

The same layout is used beside the controller for the datasets of members' own lakes, which the
controller cannot read: what their processes report is recorded there.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from ...errors import GpuQuotaError, NameTaken, NotFound
from ...model.datasets.datasets import DatasetRecord
from ...model.struct import decoded
from ...store.lake import layout
from ...store.lake.history import Commit, Tag
from ...store.lake.objects import Objects, Stored
from ...store.manifest import is_version

T = TypeVar("T")

_AT_ONCE = 16
_NAMED = 3
"""Malformed records that are named."""
_PATIENCE = 30
"""Seconds in which a lake has to answer."""


class Recorded(DatasetRecord, frozen=True, kw_only=True):
    """A record as it is stored; `lake` is the URL of a member's own lake, else empty."""

    lake: str = ""


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """One dataset of a lake: its record, its commits in order with their keys, and its tags.

    `versions` are the last commits of each version, in the order in which they were made.
    """

    record: Recorded
    commits: tuple[tuple[str, Commit], ...] = ()
    tags: Mapping[str, str] = {}
    versions: Mapping[str, Commit] = {}


class Shelf:
    """The datasets of one lake in memory: what was read last stays while it does not answer."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.datasets: Mapping[str, Content] = MappingProxyType({})
        self.problem = ""
        self._memo: dict[str, tuple[str, Any]] = {}
        self._limit = asyncio.Semaphore(_AT_ONCE)
        self._reading = asyncio.Lock()
        self._damaged: dict[str, str] = {}

    async def refresh(self) -> bool:
        """Read everything that has changed; return whether something has.

        If the lake does not answer, `problem` says so, and what was read before stays.
        """
        before = (self.datasets, self.problem)
        async with self._reading:
            try:
                async with asyncio.timeout(_PATIENCE):
                    self._damaged = {}
                    self.datasets = MappingProxyType(await self._read(layout.DATASETS))
                self.problem = _first(self._damaged)
            except GpuQuotaError as error:
                self.problem = error.message
            except TimeoutError:
                self.problem = f"It has not answered for {_PATIENCE} seconds."
        return (dict(before[0]), before[1]) != (dict(self.datasets), self.problem)

    async def refresh_one(self, dataset: str) -> None:
        """Read one dataset anew. Raises Unavailable, NotAllowed."""
        async with self._reading:
            found = await self._read(f"{layout.DATASETS}{dataset}/")
            rest = {name: each for name, each in self.datasets.items() if name != dataset}
            self.datasets = MappingProxyType({**rest, **found})

    async def create(self, record: Recorded) -> None:
        """Write the record of a new dataset. Raises NameTaken, Unavailable, NotAllowed."""
        key = layout.record(record.name)
        if not await self.objects.create(key, msgspec.json.encode(record)):
            raise NameTaken(
                f"This lake already has a dataset {record.name}.", hint="Use another name."
            )
        await self.refresh_one(record.name)

    async def change(self, record: Recorded) -> None:
        """Replace the record of a dataset. Raises Unavailable, NotAllowed."""
        await self.objects.put(layout.record(record.name), msgspec.json.encode(record))
        await self.refresh_one(record.name)

    async def add(self, dataset: str, commit: Commit) -> None:
        """Add a commit as the last one, unless the last one is of the same version."""
        content = self.datasets[dataset]
        last = content.commits[-1] if content.commits else None
        if last and last[1].version == commit.version:
            return
        number = 1 + (layout.number(last[0]) if last else 0)
        body = msgspec.json.encode(commit)
        while not await self.objects.create(layout.commit(dataset, number), body):
            number += 1
        await self.refresh_one(dataset)

    async def record(self, dataset: str, commit: Commit, tags: Collection[str]) -> None:
        """Add a commit, and let tags name its version."""
        await self.add(dataset, commit)
        for tag in tags:
            if self.datasets[dataset].tags.get(tag) != commit.version:
                await self.tag(dataset, tag, commit.version)

    async def drop(self, dataset: str, version: str) -> None:
        """Remove a version: first its tags, which must not name what is gone, then its commits."""
        content = self.datasets[dataset]
        tags = [name for name, named in content.tags.items() if named == version]
        keys = [key for key, commit in content.commits if commit.version == version]
        await self.objects.delete([*(layout.tag(dataset, name) for name in tags), *keys])
        await self.refresh_one(dataset)

    async def remove(self, dataset: str) -> None:
        """Remove a dataset; its record goes last, so that a removal can be repeated."""
        record = layout.record(dataset)
        prefix = f"{layout.DATASETS}{dataset}/"
        keys = [stored.key async for stored in self.objects.list(prefix)]
        await self.objects.delete([*(key for key in keys if key != record), record])
        await self.refresh_one(dataset)

    async def tag(self, dataset: str, tag: str, version: str) -> None:
        """Let a tag name a version, or remove it if `version` is empty."""
        key = layout.tag(dataset, tag)
        if version:
            await self.objects.put(key, msgspec.json.encode(Tag(version)))
        else:
            await self.objects.delete([key])
        await self.refresh_one(dataset)

    async def _read(self, prefix: str) -> dict[str, Content]:
        """Return the datasets below a prefix; what has no record is not one."""
        stored = [each async for each in self.objects.list(prefix)]
        by_name: dict[str, list[Stored]] = defaultdict(list)
        for each in sorted(stored, key=lambda each: each.key):
            by_name[each.key.removeprefix(layout.DATASETS).partition("/")[0]].append(each)
        found = await asyncio.gather(*(self._content(*each) for each in by_name.items()))
        known = {each.key for each in stored}
        for key in [key for key in self._memo if key.startswith(prefix) and key not in known]:
            del self._memo[key]
        return {each.record.name: each for each in found if each}

    async def _content(self, name: str, stored: Iterable[Stored]) -> Content | None:
        """Return a dataset with what can be read; without its record, what was read before."""
        by_key = {each.key: each for each in stored}
        if layout.record(name) not in by_key:
            return None
        record = await self._decoded(by_key[layout.record(name)], Recorded)
        commits = [each for key, each in by_key.items() if key.startswith(layout.commits(name))]
        tags = [each for key, each in by_key.items() if key.startswith(layout.tags(name))]
        decoded = await asyncio.gather(*(self._decoded(each, Commit) for each in commits))
        named = await asyncio.gather(*(self._decoded(each, Tag) for each in tags))
        prefix = layout.tags(name)
        if record is None:
            return self.datasets.get(name) if layout.record(name) in self._damaged else None
        found = [
            (each.key, commit) for each, commit in zip(commits, decoded, strict=True) if commit
        ]
        return Content(
            record=replace(record, name=name),
            commits=tuple(found),
            versions=versions_of(commit for _, commit in found),
            tags={
                each.key.removeprefix(prefix).removesuffix(".json"): tag.version
                for each, tag in zip(tags, named, strict=True)
                if tag
            },
        )

    async def _decoded(self, stored: Stored, kind: type[T]) -> T | None:
        """Return an object's record, from memory unless it was written since.

        None if it was removed meanwhile, or cannot be read, which is noted.
        """
        mark = f"{stored.mark} {stored.size} {stored.written.timestamp()}"
        if (known := self._memo.get(stored.key)) and known[0] == mark:
            record: T = known[1]
            return record
        try:
            async with self._limit:
                body = await self.objects.get(stored.key)
            found = decoded(body, kind)
        except NotFound:
            return None
        except msgspec.DecodeError as error:
            self._damaged[stored.key] = f"{stored.key} in the lake is malformed: {error}."
            return None
        if isinstance(found, Commit) and not is_version(found.version):
            self._damaged[stored.key] = f"{stored.key} in the lake is malformed: no version."
            return None
        self._memo[stored.key] = (mark, found)
        return found


def _first(damaged: Mapping[str, str]) -> str:
    """Return what is wrong with the first records, and how many more there are."""
    more = len(damaged) - _NAMED
    rest = [f"So are {more} more."] if more > 0 else []
    return " ".join([*list(damaged.values())[:_NAMED], *rest])


def versions_of(commits: Iterable[Commit]) -> dict[str, Commit]:
    """Return the last commit of each version, in the order in which these were made."""
    found: dict[str, Commit] = {}
    for commit in commits:
        found.pop(commit.version, None)
        found[commit.version] = commit
    return found
