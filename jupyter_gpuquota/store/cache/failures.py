"""Errors of a file system in the words of the product."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import StorageFailed

_FULL = {errno.ENOSPC, errno.EDQUOT}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def storage(root: Path) -> Iterator[None]:
    """Raise StorageFailed for an OSError of what is written below a folder."""
    try:
        yield
    except OSError as error:
        raise failure(root, error) from error


def failure(root: Path, error: OSError) -> StorageFailed:
    """Return the error of a folder that cannot be read or written."""
    if error.errno in _FULL:
        return StorageFailed(
            f"The disk of {root} is full.", hint="Remove cached versions, or other files."
        )
    if error.errno in _READ_ONLY:
        return StorageFailed(
            f"{root} cannot be written: {error.strerror}.",
            hint="Check that it is mounted for writing, and the rights of this account.",
        )
    why = error.strerror or type(error).__name__
    return StorageFailed(f"{root} cannot be used: {why}.", hint="Check its disk or mount.")


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
