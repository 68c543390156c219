"""Errors of this machine's disks in the words of the product."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import Conflict, StorageFailed
from ..paths import printable
from .cures import FULL, cure

_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_LOCKING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_UNLOCK,
}
"""What SQLite says of a file that is locked, and of a file system without locks."""


@contextmanager
def storage(root: Path) -> Iterator[None]:
    """Raise StorageFailed for an OSError of what is written below a folder."""
    try:
        yield
    except OSError as error:
        raise failure(root, error) from error


def failure(root: Path, error: OSError) -> StorageFailed:
    """Return the error of a folder that cannot be read or written."""
    name = printable(str(root))
    if error.errno in FULL:
        return StorageFailed(
            f"The disk of {name} is full.", hint="Remove cached versions, or other files."
        )
    if error.errno in _READ_ONLY:
        return StorageFailed(f"{name} cannot be written: {error.strerror}.", hint=f"{cure(error)}.")
    why = error.strerror or type(error).__name__
    return StorageFailed(f"{name} cannot be used: {why}.", hint=f"{cure(error)}.")


def system_error(error: sqlite3.Error, path: Path) -> OSError | None:
    """Return the error of the system that SQLite met in a file; None for one of its own."""
    code = getattr(error, "sqlite_errorcode", 0)
    number = {
        sqlite3.SQLITE_FULL: errno.ENOSPC,
        sqlite3.SQLITE_PERM: errno.EACCES,
        sqlite3.SQLITE_READONLY: errno.EACCES,
        sqlite3.SQLITE_CANTOPEN: errno.EACCES,
        sqlite3.SQLITE_IOERR: errno.EIO,
    }.get(code & 0xFF)
    if code in _LOCKING:
        number = (lock_error(path.parent) or OSError(errno.EBUSY, "")).errno
    elif number == errno.EACCES:
        number = _why_closed(path)
    if number is None:
        return None
    text = "another process has locked it" if number == errno.EBUSY else os.strerror(number)
    return OSError(number, text, str(path))


def lock_error(folder: Path) -> OSError | None:
    """Return why files of a folder cannot be locked, None if they can.

    It tries a file of its own: closing a database's would release the locks that this process has.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error
    return None


def _why_closed(path: Path) -> int:
    """Return the error of a file that SQLite may not open or write."""
    try:
        system = os.statvfs(path if path.exists() else path.parent)
    except OSError as error:
        return error.errno or errno.EIO
    return errno.EROFS if system.f_flag & os.ST_RDONLY else errno.EACCES


def free(root: Path) -> int:
    """Return how many bytes this account can write below a folder that may not exist yet."""
    found = _statvfs(root)
    return found.f_bavail * found.f_frsize


def total(root: Path) -> int:
    """Return the bytes of the file system of a folder that may not exist yet."""
    found = _statvfs(root)
    return found.f_blocks * found.f_frsize


def _statvfs(root: Path) -> os.statvfs_result:
    for folder in (root, *root.parents):
        if folder.exists():
            with storage(folder):
                return os.statvfs(folder)
    raise StorageFailed(f"{root} does not exist.", hint="Check its disk or mount.")


class Changed(Conflict):
    """A file was written or removed while it was read."""


class Unreadable(StorageFailed):
    """A file that is to be stored cannot be read."""


NOT_WHOLE = (Changed, Unreadable)
"""The errors of files that could not be read whole."""


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raise Changed for a file that is gone, and Unreadable for one that cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise Changed(
            f"{printable(str(path))} was removed while the folder was read.",
            hint="Stop what removes files, or sync a copy.",
        ) from error
    except OSError as error:
        raise Unreadable(
            f"{printable(str(path))} cannot be read: {error.strerror}.",
            hint="Check its rights and its disk.",
        ) from error


@contextmanager
def own_files() -> Iterator[None]:
    """Raise StorageFailed where temporary files or the catalog cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise _full() from error
        where = printable(str(error.filename)) if error.filename else "A temporary file"
        raise StorageFailed(
            f"{where} cannot be used: {error.strerror}.", hint=f"{cure(error)}."
        ) from error
    except sqlite3.Error as error:
        known = system_error(error, Path(tempfile.gettempdir(), "catalog"))
        if known and known.errno in FULL:
            raise _full() from error
        if known:
            raise StorageFailed(
                f"The catalog of the lake cannot be used: {known.strerror}.",
                hint=f"{cure(known)}, or set XDG_CACHE_HOME to another folder.",
            ) from error
        raise StorageFailed(
            f"The catalog of the lake cannot be used: {error}.",
            hint="Remove it: it is made again from what the lake holds.",
        ) from error


def _full() -> StorageFailed:
    return StorageFailed(
        "The disk for temporary files or for the catalog is full.",
        hint="Free space on it, or set TMPDIR to a folder on another disk; then sync again.",
    )
