"""Folders that appear whole or not at all.

A folder is made under a temporary name beside its place, completed with a marker, and renamed. A
lock is not needed: of two processes that make the same folder, the second finds it and drops its
own. What a process leaves that ends before that is swept up later.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TREE = "tree"
"""The name of the content in a published folder."""
MARKER = "COMPLETE"
"""The name of the file beside it that says that nothing is missing."""
PART_SUFFIX = ".part"

_FOLDER = 0o555


@contextmanager
def publishing(place: Path, marker: bytes) -> Iterator[Path]:
    """Return an empty folder to fill; publish it as `place/tree` if nothing is raised.

    If another process publishes the same place meanwhile, its folder stays, and this one goes.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.parent / f".{uuid.uuid4().hex}{PART_SUFFIX}"
    (part / TREE).mkdir(parents=True)
    try:
        yield part / TREE
        _close(part / TREE)
        (part / MARKER).write_bytes(marker)
        # One call for a million files; it waits for other processes' writes, too.
        os.sync()
        _rename(part, place)
    finally:
        remove(part)


def is_published(place: Path) -> bool:
    """Return whether a folder is complete."""
    return (place / MARKER).is_file()


def remove(folder: Path) -> None:
    """Remove a folder and all in it, read-only or not; one that does not exist is passed over."""
    if not folder.exists():
        return
    for inner, folders, _ in os.walk(folder):
        for name in folders:
            path = Path(inner) / name
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder)


def withdraw(place: Path) -> Path:
    """Rename a published folder, so that nobody finds it any more; return its new path."""
    gone = place.parent / f".{uuid.uuid4().hex}{PART_SUFFIX}"
    place.rename(gone)
    return gone


def _rename(part: Path, place: Path) -> None:
    try:
        part.rename(place)
    except OSError:
        if not is_published(place):
            raise


def _close(tree: Path) -> None:
    """Make all folders of a tree read-only, the innermost first."""
    for inner, _, _ in os.walk(tree, topdown=False):
        Path(inner).chmod(_FOLDER)
