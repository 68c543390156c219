"""The entries of a folder on disk, in the order of manifests, their contents unread."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from . import paths
from .entries import EXECUTABLE, FILE, FOLDER, LINK, Mode


class Found(msgspec.Struct, frozen=True):
    """One path of a folder; `problem` says why a version cannot contain it."""

    path: str
    mode: Mode = FILE
    stat: os.stat_result | None = None
    target: str = ""
    problem: str = ""


def walk(root: str, leaves_out: Callable[[Found], bool] = lambda _: False) -> Iterator[Found]:
    """Yield everything below a folder, hidden files too; folders only if they are empty.

    Links are not followed. What cannot be read or versioned is yielded with its problem.
    `leaves_out` says which paths are passed over, with all that is below them.
    """
    pending = [iter([Found("", FOLDER)])]
    while pending:
        found = next(pending[-1], None)
        if found is None:
            pending.pop()
        elif found.path and leaves_out(found):
            continue
        elif found.mode == FOLDER and not found.problem:
            children = _children(root, found.path)
            pending.append(iter(children))
            if found.path and not children:
                yield found
        else:
            yield found


def _children(root: str, folder: str) -> list[Found]:
    """Return what a folder contains, in the order of the paths below it."""
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            children = [_found(folder, entry) for entry in entries]
    except OSError as error:
        return [Found(folder or ".", FOLDER, problem=_reason(error))]
    return sorted(children, key=lambda child: _order(root, child))


def _found(folder: str, entry: os.DirEntry[str]) -> Found:
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        stats = entry.stat(follow_symlinks=False)
        target = str(Path(entry.path).readlink()) if entry.is_symlink() else ""
    except OSError as error:
        return Found(path, problem=_reason(error))
    mode = _mode(stats.st_mode)
    if not mode:
        return Found(path, problem="it is neither a file nor a folder nor a link")
    why = paths.problem(path) or (paths.link_problem(path, target) if mode == LINK else "")
    return Found(path, mode, stats, target, why)


def _mode(bits: int) -> Mode | None:
    if stat.S_ISREG(bits):
        return EXECUTABLE if bits & stat.S_IXUSR else FILE
    if stat.S_ISLNK(bits):
        return LINK
    return FOLDER if stat.S_ISDIR(bits) else None


def _order(root: str, child: Found) -> bytes:
    """Return the sort key of the first path at or below a child."""
    key = paths.sort_key(child.path)
    return key + b"/" if child.mode == FOLDER and _has_entries(root, child.path) else key


def _has_entries(root: str, folder: str) -> bool:
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            return any(True for _ in entries)
    except OSError:
        # Reading it will fail again, and is reported then.
        return False


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
