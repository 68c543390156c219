"""Folders that appear whole or not at all.

A folder is made under a temporary name beside its place, completed with a marker, and renamed. A
lock is not needed: of two processes that make the same folder, the second finds it and drops its
own. What a process leaves that ends before that is swept up later, or adopted by the next one.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .disk.files import flush

TREE = "tree"
"""The name of the content in a published folder."""
MARKER = "COMPLETE"
"""The name of the file beside it that says that nothing is missing."""
PART_SUFFIX = ".part"

_FOLDER = 0o555
_OPEN = 0o755


@contextmanager
def publishing(place: Path, marker: bytes) -> Iterator[Path]:
    """Return an empty folder to fill; publish it as `place/tree` if nothing is raised.

    If another process publishes the same place meanwhile, its folder stays, and this one goes.
    """
    part = place.parent / f".{uuid.uuid4().hex}{PART_SUFFIX}"
    begin(part)
    try:
        yield part / TREE
        complete(part, place, marker)
    finally:
        remove(part)


def begin(part: Path, left: Path | None = None) -> bool:
    """Make a folder whose `tree` is to be filled.

    `left` is what a dead process has left of the same one; return whether it was adopted.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    if left:
        with suppress(FileNotFoundError):  # another process was faster
            left.rename(part)
            _reopen(part)
            (part / TREE).mkdir(exist_ok=True)
            return True
    (part / TREE).mkdir(parents=True)
    return False


def complete(part: Path, place: Path, marker: bytes) -> None:
    """Publish a folder that was filled, unless another process has published the same one."""
    _close(part / TREE)
    part.chmod(_OPEN)
    (part / MARKER).write_bytes(marker)
    flush(part)
    try:
        part.rename(place)
    except OSError:
        if not is_published(place):
            raise


def is_published(place: Path) -> bool:
    """Return whether a folder is complete."""
    return (place / MARKER).is_file()


def remove(folder: Path) -> None:
    """Remove a folder and all in it, read-only or not; one that does not exist is passed over.

    The marker goes first: what is half removed is not complete. Two processes may remove the same
    folder at once.
    """
    with suppress(FileNotFoundError):
        (folder / MARKER).unlink()
    _reopen(folder)
    shutil.rmtree(folder, onerror=_unless_gone)


def withdraw(place: Path, gone: Path | None = None) -> Path:
    """Rename a published folder, so that nobody finds it any more; return its new path.

    Raises FileNotFoundError if it is not there.
    """
    gone = gone or place.parent / f".{uuid.uuid4().hex}{PART_SUFFIX}"
    gone.parent.mkdir(parents=True, exist_ok=True)
    place.rename(gone)
    return gone


def _close(tree: Path) -> None:
    """Make all folders of a tree read-only, the innermost first."""
    for inner, _, _ in os.walk(tree, topdown=False):
        Path(inner).chmod(_FOLDER)


def _reopen(folder: Path) -> None:
    """Make all folders of a tree writable, the outermost first."""
    for inner, folders, _ in os.walk(folder):
        for name in folders:
            path = Path(inner) / name
            if not path.is_symlink():
                with suppress(FileNotFoundError):  # removed meanwhile
                    path.chmod(_OPEN)


def _unless_gone(_: object, path: str, failed: tuple[Any, BaseException, Any]) -> None:
    if not isinstance(failed[1], FileNotFoundError):
        raise failed[1]
