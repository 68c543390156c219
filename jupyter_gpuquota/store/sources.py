"""Sources of versions: a folder, or the objects below a prefix, `s3://bucket/prefix`."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from ..errors import FieldError, GpuQuotaError, InvalidFields, NotFound, refused
from . import databases, paths, reading
from .disk import failures
from .entries import FOLDER, LINK
from .exclusion import Ignored
from .lake.connection import connect
from .lake.objects import Readable, Stored
from .paths import printable
from .tasks import in_thread, together
from .tree import Found, walk

BATCH = 256
"""Paths that are worked on at once."""
_NAMED = 20
"""Paths that an error names at most."""
_SCHEMES = ("s3", "gs", "az")
_AT_ONCE = 16
"""Objects that are fetched at once."""
_FETCHED = 256 << 20
"""Bytes after which a batch of fetched objects is complete."""


class Size(NamedTuple):
    """How many files something has, and their bytes."""

    files: int
    bytes: int


class Source(Protocol):
    """What a version is made of."""

    def survey(self) -> Size:
        """Return its size. Raises InvalidFields for paths that a version cannot contain."""

    def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield all paths in the order of manifests; files are there until the next batch."""

    def path(self, found: Found) -> Path:
        """Return the path of a file on this disk."""

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return by which state a file is known later whose contents were read in the state `read`.

        None if it must be read again.
        """

    def is_live(self, found: Found) -> bool:
        """Return whether others may write a file while it is read."""

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Return what is stored of a file that could not be read whole, None: it is left out.

        Raise the error where a version must have every file.
        """

    def check(self) -> None:
        """Raise Changed if files that belong together were written while they were read."""


class Folder:
    """A folder on this disk, without what its own patterns and others leave out.

    Raises InvalidFields for patterns that cannot be read.
    """

    def __init__(self, root: Path, patterns: Iterable[str] = ()) -> None:
        self._root = root
        self._ignored = Ignored(root, patterns)
        self._databases: dict[str, os.stat_result] = {}

    def survey(self) -> Size:
        """Return the size of the folder."""
        return surveyed(self._walk(), str(self._root))

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield what the folder contains."""
        everything = self._walk()
        while batch := await in_thread(list, itertools.islice(everything, BATCH)):
            await in_thread(self._note_databases, batch)
            yield batch

    def path(self, found: Found) -> Path:
        """Return the path of a file."""
        return self._root / found.path

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return the state in which a file was read."""
        return read

    def is_live(self, found: Found) -> bool:
        """Return that others may write every file."""
        return True

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Raise the error."""
        raise error

    def check(self) -> None:
        """Raise Changed if a database was written after it was read and before its log was."""
        for path, before in self._databases.items():
            with failures.reading(self._root / path):
                after = (self._root / path).stat()
            if reading.identity(before) != reading.identity(after):
                raise reading.changing(self._root / path)

    def _walk(self) -> Iterator[Found]:
        """Yield what is stored. Raises InvalidFields for state of this product."""
        return walk(str(self._root), self._ignored)

    def _note_databases(self, batch: Iterable[Found]) -> None:
        """Note databases whose changes are in another file, as they are before they are read."""
        for found in batch:
            path, size = self._root / found.path, found.stat.st_size if found.stat else 0
            with suppress(OSError):  # reading it says why
                if databases.is_database(path, size) and databases.has_log(path):
                    self._databases[found.path] = path.stat()


def surveyed(everything: Iterable[Found], name: str) -> Size:
    """Return the size of what was found in something called `name`.

    :raises InvalidFields: some paths cannot be in a version.
    """
    count, size, problems = 0, 0, []
    for found in everything:
        if found.problem:
            problems.append(FieldError(f"folder.{printable(found.path)}", f"{found.problem}."))
        elif found.mode not in {LINK, FOLDER}:
            count, size = count + 1, size + (found.stat.st_size if found.stat else 0)
    if problems:
        raise InvalidFields(
            f"{name} has paths that cannot be stored: {len(problems)}.",
            hint="Remove or rename them, or sync another folder.",
            fields=tuple(problems[:_NAMED]),
        )
    return Size(count, size)


async def find(url: str, variables: Mapping[str, str]) -> Prefix:
    """Return the objects that are below a prefix now; `variables` have the credentials.

    :raises InvalidFields: the URL is not that of a prefix.
    :raises NotFound: it has no objects.
    :raises NotAllowed: the server refuses the credentials.
    :raises Unavailable: the server does not answer.
    """
    if urlsplit(url).scheme not in _SCHEMES:
        why = f"{url} is not a prefix of a bucket, such as s3://bucket/prefix."
        raise refused(FieldError("url", why, "A folder is synced: data sync."))
    bucket = connect(url, variables)
    stored = [each async for each in bucket.list("")]
    if not stored:
        raise NotFound(f"{url} has no objects.", hint="Check the bucket and the prefix.")
    return Prefix(url, bucket, stored)


class Prefix:
    """Objects, each of which is fetched into a temporary folder in turn.

    `written` is when the last of them was.
    """

    def __init__(self, url: str, bucket: Readable, stored: Sequence[Stored]) -> None:
        self.written = max(each.written for each in stored)
        self._url = url
        self._bucket = bucket
        self._stored = sorted(stored, key=lambda each: paths.sort_key(each.key))
        self._here: dict[str, Path] = {}

    def survey(self) -> Size:
        """Return the size of all objects."""
        files = surveyed((_found(each.key) for each in self._stored), self._url).files
        return Size(files, sum(each.size for each in self._stored))

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield all objects, each as a file on this disk."""
        for batch in _batches(self._stored):
            with TemporaryDirectory(prefix="gpuquota-") as folder:
                limit = asyncio.Semaphore(_AT_ONCE)
                self._here = {
                    each.key: Path(folder) / str(number) for number, each in enumerate(batch)
                }
                await together(self._fetch(key, limit) for key in self._here)
                yield [_found(key, path.stat()) for key, path in self._here.items()]

    def path(self, found: Found) -> Path:
        """Return the path of a file."""
        return self._here[found.path]

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return the state in which a file was read."""
        return read

    def is_live(self, found: Found) -> bool:
        """Return that nobody else knows the fetched files."""
        return False

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Raise the error."""
        raise error

    def check(self) -> None:
        """Do nothing: objects do not belong together."""

    async def _fetch(self, key: str, limit: asyncio.Semaphore) -> None:
        async with limit:
            body = await self._bucket.get(key)
        await in_thread(self._here[key].write_bytes, body)


def _batches(stored: Sequence[Stored]) -> Iterator[list[Stored]]:
    """Yield objects in groups that are small enough to be on this disk at once."""
    iterator = iter(stored)
    for first in iterator:
        batch, size = [first], first.size
        for each in itertools.islice(iterator, BATCH - 1):
            batch.append(each)
            size += each.size
            if size > _FETCHED:
                break
        yield batch


def _found(key: str, stats: os.stat_result | None = None) -> Found:
    return Found(key, stat=stats, problem=paths.problem(key))
