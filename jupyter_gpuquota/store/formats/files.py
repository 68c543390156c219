"""The files of a state as the source of a version."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import Damaged, FieldError, GpuQuotaError, NotFound, refused
from .. import paths
from ..disk.failures import reading
from ..entries import LINK
from ..lake.objects import Readable
from ..sources import BATCH, Size, surveyed
from ..tasks import in_thread, together
from ..tree import Found
from .state import Item, State

_AT_ONCE = 16
"""Objects that are fetched at once."""
_FETCHED = 256 << 20
"""Bytes after which a batch of fetched files is complete."""
_BLOCK = 1 << 20


class Files:
    """The files of one state; what is in a lake is fetched into a temporary folder in turn."""

    def __init__(self, state: State, name: str) -> None:
        self._items = sorted(state.items, key=lambda item: paths.sort_key(item.path))
        self._objects = state.objects
        self._name = name
        self._here: dict[str, Path] = {}

    def survey(self) -> Size:
        """Return the size of all files."""
        names = [item.path for item in self._items]
        if len({*names}) < len(names):
            raise refused(FieldError("source", f"{self._name} has a path twice."))
        size = sum(item.size for item in self._items)
        return Size(surveyed(map(_found, self._items), self._name).files, size)

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield all files, each checked against what the other tool knows of it."""
        for batch in _batches(self._items):
            with TemporaryDirectory(prefix="gpuquota-") as folder:
                await self._fetch(batch, Path(folder))
                yield await in_thread(self._all_checked, batch)

    def path(self, found: Found) -> Path:
        """Return the path of a file."""
        return self._here[found.path]

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return the state in which a file was read."""
        return read

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Raise the error."""
        raise error

    async def _fetch(self, batch: Sequence[Item], folder: Path) -> None:
        """Put the files of a batch on this disk."""
        self._here = {item.path: item.local for item in batch if item.local}
        limit = asyncio.Semaphore(_AT_ONCE)
        objects = self._objects

        async def fetch(item: Item, target: Path, objects: Readable) -> None:
            async with limit:
                body = await objects.get(item.key)
            await in_thread(target.write_bytes, body)
            self._here[item.path] = target

        keyed = [item for item in batch if item.key]
        if objects is not None:
            await together(
                fetch(item, folder / str(number), objects) for number, item in enumerate(keyed)
            )

    def _all_checked(self, batch: Sequence[Item]) -> list[Found]:
        return [self._checked(item) for item in batch]

    def _checked(self, item: Item) -> Found:
        if item.mode == LINK:
            return _found(item)
        path = self._here[item.path]
        with reading(path):
            if item.digest and not _is(path, item.digest):
                raise Damaged(
                    f"{paths.printable(item.path)} is not what {self._name} says.",
                    hint="Check it with the tool that has stored it.",
                )
            return _found(item, path.stat())


def local(item: Item, found: Path) -> Item:
    """Return an item for a file on this disk. Raises NotFound if there is none."""
    if not found.is_file():
        raise NotFound(
            f"{paths.printable(item.path)} is not on this machine: {found} does not exist.",
            hint="Fetch it with the tool that has stored it, then import again.",
        )
    return Item(item.path, found.stat().st_size, found, digest=item.digest, mode=item.mode)


def _batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield items in groups that are small enough to be on this disk at once."""
    iterator = iter(items)
    for first in iterator:
        batch, size = [first], first.size if first.key else 0
        for item in itertools.islice(iterator, BATCH - 1):
            batch.append(item)
            size += item.size if item.key else 0
            if size > _FETCHED:
                break
        yield batch


def _found(item: Item, stats: os.stat_result | None = None) -> Found:
    why = paths.problem(item.path)
    if item.mode == LINK:
        why = why or paths.link_problem(item.path, item.target)
    return Found(item.path, item.mode, stats, item.target, why)


def _is(path: Path, digest: str) -> bool:
    """Return whether a file has a digest; `git` is the id of a Git blob."""
    algorithm, _, wanted = digest.partition(":")
    hashed = hashlib.new("sha1" if algorithm == "git" else algorithm, usedforsecurity=False)
    if algorithm == "git":
        hashed.update(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            hashed.update(block)
    return hashed.hexdigest() == wanted
