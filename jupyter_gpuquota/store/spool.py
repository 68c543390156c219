"""The entries of a version that is being made, kept on disk until all locations are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO

from . import lines
from .entries import NOWHERE, Entry, Location


class Spool:
    """Entries in the order in which they were added; large files with their parts."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, entry: Entry, location: Location = NOWHERE) -> None:
        """Add an entry."""
        self._file.write(lines.encode(entry, location) + b"\n")

    def __iter__(self) -> Iterator[tuple[Entry, Location]]:
        """Yield all entries from the first one."""
        self._file.seek(0)
        yield from map(lines.decode, self._file)


@contextmanager
def spool() -> Iterator[Spool]:
    """Return an empty spool, which is gone afterwards."""
    with TemporaryFile(prefix="gpuquota-") as file:
        yield Spool(file)
