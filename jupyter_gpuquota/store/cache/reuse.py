"""Files that are on this machine already: they are linked or copied, not fetched again."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from ...errors import Damaged
from .. import manifest
from ..disk import clone
from ..disk.files import READ_ONLY, Modes, create, write_sparse
from ..entries import Entry
from .places import Place

_BLOCK = 1 << 20

Key = tuple[str, bool]
"""What makes two files equal: the sha256 of their content, and whether they are executable."""


def find(wanted: Iterable[Entry], sources: Iterable[Place]) -> dict[Key, Path]:
    """Return where files with the contents of entries are, as far as cached versions have them.

    The first source that has a file counts. Manifests are read as long as something is wanted.
    """
    missing = {_key(entry) for entry in wanted if entry.is_file and entry.size}
    found: dict[Key, Path] = {}
    for source in sources:
        if not missing:
            break
        for entry in _entries(source):
            key = _key(entry)
            if key in missing:
                found[key] = source.tree / entry.path
                missing.discard(key)
    return found


class Reuse:
    """Makes files of a version from those that are here.

    `link` allows that a file gets a second name, which must never happen where it may be written.
    With `resumed`, files that are in their place are kept if their content is right.
    """

    def __init__(
        self,
        found: dict[Key, Path],
        *,
        link: bool = True,
        resumed: bool = False,
        modes: Modes = READ_ONLY,
    ) -> None:
        self._found = found
        self._link = link
        self._resumed = resumed
        self._modes = modes
        self._reflinks = True

    def __call__(self, entry: Entry, target: Path) -> bool:
        """Make a file; return False where that is impossible."""
        if self._resumed and os.path.lexists(target):
            if is_intact(target, entry):
                return True
            target.unlink()
        source = self._found.get(_key(entry))
        return source is not None and self._from(source, entry, target)

    def _from(self, source: Path, entry: Entry, target: Path) -> bool:
        if not _looks_like(source, entry):
            return False
        mode = self._modes.of(entry)
        # Asked once: all cached versions are on one file system.
        if self._reflinks and clone.reflink(source, target, mode):
            return True
        self._reflinks = False
        if self._link and clone.hardlink(source, target):
            return True
        return copy(source, target, entry, mode)


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


def _entries(source: Place) -> Iterable[Entry]:
    """Yield what a cached version consists of; nothing if it has just been removed."""
    try:
        yield from (entry for entry, _ in manifest.read(source.manifest.read_bytes()))
    except (FileNotFoundError, Damaged):
        # Without it, files are fetched again; verification names a damaged manifest.
        return


def _key(entry: Entry) -> Key:
    return entry.sha256, entry.executable
