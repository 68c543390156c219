"""What a version is made of: a folder, or files from elsewhere that are on this disk in turn."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from ..errors import FieldError, GpuQuotaError, InvalidFields
from .entries import FOLDER, LINK
from .paths import printable
from .tasks import in_thread
from .tree import Found, walk

BATCH = 256
"""Paths that are worked on at once."""
_NAMED = 20
"""Paths that an error names at most."""


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

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Return what is stored of a file that could not be read whole, None: it is left out.

        Raise the error where a version must have every file.
        """


class Folder:
    """A folder on this disk."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def survey(self) -> Size:
        """Return the size of the folder."""
        return surveyed(walk(str(self._root)), str(self._root))

    async def batches(self) -> AsyncIterator[Sequence[Found]]:
        """Yield what the folder contains."""
        everything = walk(str(self._root))
        while batch := await in_thread(list, itertools.islice(everything, BATCH)):
            yield batch

    def path(self, found: Found) -> Path:
        """Return the path of a file."""
        return self._root / found.path

    def state(self, found: Found, read: os.stat_result) -> os.stat_result | None:
        """Return the state in which a file was read."""
        return read

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        """Raise the error."""
        raise error


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
