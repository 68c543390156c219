"""The objects below a prefix of a bucket, `s3://bucket/prefix`, as the source of a version."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from ..errors import FieldError, GpuQuotaError, NotFound, refused
from . import paths
from .lake.connection import connect
from .lake.objects import Readable, Stored
from .sources import BATCH, Size, surveyed
from .tasks import in_thread, together
from .tree import Found

_SCHEMES = ("s3", "gs", "az")
_AT_ONCE = 16
"""Objects that are fetched at once."""
_FETCHED = 256 << 20
"""Bytes after which a batch of fetched objects is complete."""


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

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Raise the error."""
        raise error

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
