"""Reading and writing the commits and tags of datasets in a lake."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

import msgspec

from ...errors import Unavailable
from ...model.struct import decoded
from . import layout
from .objects import Objects

T = TypeVar("T")

_ATTEMPTS = 50
_AT_ONCE = 32


class Stats(msgspec.Struct, frozen=True):
    """What a version contains: files, their bytes, and the bytes that its commit added."""

    files: int = 0
    bytes: int = 0
    added: int = 0


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit: a version, where it came from, and who made it when.

    `parents` are ids of versions; `source` names the session or snapshot that produced it.
    """

    version: str
    parents: tuple[str, ...] = ()
    message: str = ""
    author: str = ""
    time: datetime
    stats: Stats = Stats()
    source: str = ""


class Tag(msgspec.Struct, frozen=True):
    """What a tag names."""

    version: str


class History:
    """The commits and tags of the datasets in one lake.

    A commit gets the next number by a conditional put. A lake that does not know those gets
    commits with a number and a random suffix: two writers may then use the same number, and the
    suffix decides which of the two comes first.
    """

    def __init__(self, objects: Objects, *, conditional: bool) -> None:
        self.damaged: dict[str, str] = {}
        """Why commits and tags that were read up to now cannot be: their keys and what is wrong."""
        self._objects = objects
        self._conditional = conditional

    async def datasets(self) -> list[str]:
        """Return the names of all datasets, sorted."""
        keys = [stored.key async for stored in self._objects.list(layout.DATASETS)]
        return sorted({key.removeprefix(layout.DATASETS).partition("/")[0] for key in keys})

    async def commits(self, dataset: str) -> list[Commit]:
        """Return the commits of a dataset that can be read, in the order of their making."""
        found = await self._read_all(await self._commit_keys(dataset), Commit)
        return [commit for _, commit in found]

    async def add(self, dataset: str, commit: Commit) -> str:
        """Add a commit as the last one, and return its key.

        :raises Unavailable: others add commits faster than this one can be added.
        """
        body = msgspec.json.encode(commit)
        for _ in range(_ATTEMPTS):
            keys = await self._commit_keys(dataset)
            number = 1 + (layout.number(keys[-1]) if keys else 0)
            if not self._conditional:
                key = layout.commit(dataset, number, f"-{uuid.uuid4().hex}")
                await self._objects.put(key, body)
                return key
            key = layout.commit(dataset, number)
            if await self._objects.create(key, body):
                return key
            # The answer to an earlier attempt may have been lost: then it is our own.
            if await self._objects.get(key) == body:
                return key
        raise Unavailable(f"Too many writers add versions to {dataset}.", hint="Try again later.")

    async def tags(self, dataset: str) -> dict[str, str]:
        """Return the ids of versions by tag, as far as these can be read."""
        prefix = layout.tags(dataset)
        keys = sorted([stored.key async for stored in self._objects.list(prefix)])
        found = await self._read_all(keys, Tag)
        return {key.removeprefix(prefix).removesuffix(".json"): tag.version for key, tag in found}

    async def tag(self, dataset: str, name: str, version: str) -> None:
        """Let a tag name a version, whatever it named before."""
        await self._objects.put(layout.tag(dataset, name), msgspec.json.encode(Tag(version)))

    async def untag(self, dataset: str, name: str) -> None:
        """Remove a tag."""
        await self._objects.delete([layout.tag(dataset, name)])

    async def _commit_keys(self, dataset: str) -> list[str]:
        listed = self._objects.list(layout.commits(dataset))
        return sorted([stored.key async for stored in listed])

    async def _read_all(self, keys: Iterable[str], kind: type[T]) -> list[tuple[str, T]]:
        """Return what can be read, with its keys; the rest is noted in `damaged`."""
        limit = asyncio.Semaphore(_AT_ONCE)

        async def read(key: str) -> tuple[str, T] | None:
            async with limit:
                return await self._read(key, kind)

        return [each for each in await asyncio.gather(*map(read, keys)) if each]

    async def _read(self, key: str, kind: type[T]) -> tuple[str, T] | None:
        try:
            return key, decoded(await self._objects.get(key), kind)
        except msgspec.DecodeError as error:
            self.damaged[key] = f"{key} in the lake is malformed: {error}."
            return None


async def has_conditional_put(objects: Objects) -> bool:
    """Return whether a lake refuses to create an object that exists.

    Some object stores accept the condition and ignore it, so it is tried.
    """
    key = f"{layout.WRITERS}probe-{uuid.uuid4().hex}"
    try:
        first = await objects.create(key, b"1", durable=False)
        return first and not await objects.create(key, b"2", durable=False)
    except Unavailable:
        return False
    finally:
        await objects.delete([key])
