"""Files that are on this machine already: they are linked or copied, not fetched again."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...errors import Damaged
from .. import manifest
from ..disk import files
from ..disk.files import READ_ONLY, Modes, create, write_sparse
from ..entries import Entry, compare
from ..fetch import Make
from ..paths import sort_key
from .places import Place

_BLOCK = 1 << 20

Key = bytes
"""What makes two files equal: the sha256 of their content, and whether they are executable."""


class Plan(NamedTuple):
    """Where the files of a version are: `found` has what is not at the same path in `first`.

    `new` is how many bytes are nowhere here.
    """

    first: Place | None
    found: dict[Key, tuple[Place, str]]
    new: int


def plan(wanted: Iterable[Entry], sources: Sequence[Place]) -> Plan:
    """Return where the files of a version are, as far as cached versions have them.

    What has not changed since the first source costs no memory.
    """
    first = sources[0] if sources else None
    missing: dict[Key, int] = {}
    new = 0
    for change in compare(entries_of(first) if first else (), wanted):
        entry = change.after
        if entry and entry.is_file and not _equal(change.before, entry):
            new += entry.size
            if sources and entry.size:
                missing[_key(entry)] = missing.get(_key(entry), 0) + entry.size
    found: dict[Key, tuple[Place, str]] = {}
    for source in sources:
        if len(found) == len(missing):
            break
        for entry in entries_of(source):
            if entry.is_file and (key := _key(entry)) in missing and key not in found:
                found[key] = (source, entry.path)
    return Plan(first, found, new - sum(missing[key] for key in found))


class Reuse:
    """Makes files of a version from those that are here; it is asked in the manifest's order.

    `link` allows that a file gets a second name, which must never happen where it may be written.
    With `resumed`, files that are in their place are kept if their content is right.
    """

    def __init__(
        self, found: Plan, *, link: bool = True, resumed: bool = False, modes: Modes = READ_ONLY
    ) -> None:
        self._plan = found
        self._same = entries_of(found.first) if found.first else iter(())
        self._ahead = next(self._same, None)
        self._link = link
        self._resumed = resumed
        self._modes = modes
        self._reflinks = True

    def __call__(self, entry: Entry, target: Path) -> Make | None:
        """Return what makes a file, in any thread, None if nothing equal is known to be here."""
        source = self._source(entry)
        if source is None and not self._resumed:
            return None
        return partial(self._made, source, entry, target)

    def _made(self, source: Path | None, entry: Entry, target: Path) -> bool:
        """Make a file; return False, and leave nothing, where that is impossible."""
        if self._resumed and os.path.lexists(target):
            if is_intact(target, entry):
                return True
            target.unlink()
        return source is not None and self._from(source, entry, target)

    def _source(self, entry: Entry) -> Path | None:
        """Return where a file with the same content and mode is."""
        place = sort_key(entry.path)
        while self._ahead and sort_key(self._ahead.path) < place:
            self._ahead = next(self._same, None)
        same = self._ahead
        if self._plan.first and same and same.path == entry.path and _equal(same, entry):
            return self._plan.first.tree / entry.path
        other = self._plan.found.get(_key(entry))
        return other[0].tree / other[1] if other else None

    def _from(self, source: Path, entry: Entry, target: Path) -> bool:
        if not _looks_like(source, entry):
            return False
        mode = self._modes.of(entry)
        # Asked once: all cached versions are on one file system.
        if self._reflinks and files.reflink(source, target, mode):
            return _verified(target, entry)
        self._reflinks = False
        if self._link and files.hardlink(source, target):
            return _verified(target, entry)
        return copy(source, target, entry, mode)


def _verified(path: Path, entry: Entry) -> bool:
    """Return whether a file is what a version says; one that is not is removed."""
    if is_intact(path, entry):
        return True
    path.unlink()
    return False


def is_intact(path: Path, entry: Entry) -> bool:
    """Return whether a file is what a version says."""
    if not _looks_like(path, entry):
        return False
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256


def copy(source: Path, target: Path, entry: Entry, mode: int) -> bool:
    """Copy a file; return False, and leave nothing, if it is not what a version says."""
    digest = hashlib.sha256()
    try:
        old = source.open("rb", buffering=0)
    except FileNotFoundError:
        return False  # the version has just been removed
    with old, create(target, mode) as new:
        while block := old.read(_BLOCK):
            digest.update(block)
            write_sparse(new, block)
        new.truncate(entry.size)
    if digest.hexdigest() == entry.sha256:
        return True
    target.unlink()
    return False


def _looks_like(path: Path, entry: Entry) -> bool:
    """Return whether a file has the type, size and executability of an entry, content unread."""
    try:
        stats = path.stat(follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    runs = bool(stats.st_mode & stat.S_IXUSR)
    return stat.S_ISREG(stats.st_mode) and (stats.st_size, runs) == (entry.size, entry.executable)


def entries_of(source: Place) -> Iterator[Entry]:
    """Yield what a cached version consists of; nothing if it has just been removed."""
    try:
        yield from (entry for entry, _ in manifest.read(source.manifest.read_bytes()))
    except (FileNotFoundError, Damaged):
        # Without it, files are fetched again; verification names a damaged manifest.
        return


def _equal(one: Entry | None, other: Entry) -> bool:
    return one is not None and one.is_file and _key(one) == _key(other)


def _key(entry: Entry) -> Key:
    return bytes.fromhex(entry.sha256) + (b"x" if entry.executable else b"-")
