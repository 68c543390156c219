"""Comparing the files of a cached version with its manifest. All functions block."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .. import paths
from ..entries import FOLDER, LINK, Entry, Located
from ..progress import Meter
from ..tree import Found, walk

_BLOCK = 1 << 20
_WORKERS = min(8, os.cpu_count() or 1)
_AHEAD = 16 * _WORKERS
"""Files that are queued: enough for all workers, and little memory for a million files."""


class Fault(NamedTuple):
    """One path that is not what its version says: why, and what should be there.

    `wanted` is None for a path that should not be there.
    """

    path: str
    why: str
    wanted: Located | None


def check(tree: Path, entries: Iterable[Located], meter: Meter) -> Iterator[Fault]:
    """Yield everything in a tree that is not what a version says; contents are hashed in threads.

    Raises OSError if a file cannot be read for a reason of the disk, and what `meter` raises.
    """
    pool = ThreadPoolExecutor(_WORKERS)
    pending: list[tuple[Located, Future[str]]] = []
    try:
        for wanted, found in _aligned(entries, walk(str(tree))):
            why = _difference(wanted, found)
            if why or wanted is None:
                yield Fault(_path(wanted, found), why or "it is not in the version", wanted)
            elif wanted[0].is_file:
                pending.append((wanted, pool.submit(_content, tree, wanted[0], meter)))
            while len(pending) > _AHEAD:
                yield from _faults(pending[:1])
                del pending[0]
        yield from _faults(pending)
    finally:
        pool.shutdown(cancel_futures=True)


def strip(tree: Path, entries: Iterable[Located]) -> None:
    """Remove what is in a tree, but not in its version. Raises OSError."""
    for wanted, found in _aligned(entries, walk(str(tree))):
        if wanted is None and found is not None:
            path = tree / found.path
            path.rmdir() if found.mode == FOLDER else path.unlink()


def _faults(pending: Iterable[tuple[Located, Future[str]]]) -> Iterator[Fault]:
    for wanted, result in pending:
        if why := result.result():
            yield Fault(wanted[0].path, why, wanted)


def _content(tree: Path, entry: Entry, meter: Meter) -> str:
    """Return what is wrong with the content of a file, or an empty text."""
    digest = hashlib.sha256()
    with (tree / entry.path).open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            meter.add(bytes=len(block))
    meter.add(files=1)
    return "" if digest.hexdigest() == entry.sha256 else "its content has changed"


def _difference(wanted: Located | None, found: Found | None) -> str:
    """Return why a path is not what it should be, contents aside, or an empty text."""
    if wanted is None:
        return "it is not in the version"
    if found is None:
        return "it is missing"
    entry = wanted[0]
    size = found.stat.st_size if found.stat else 0
    rules = (
        (bool(found.problem) and entry.mode != LINK, f"it cannot be read: {found.problem}"),
        (found.mode != entry.mode, "its type or mode has changed"),
        (entry.mode == LINK and found.target != entry.target, "the link leads elsewhere"),
        (entry.is_file and size != entry.size, "its size has changed"),
    )
    return next((why for broken, why in rules if broken), "")


def _aligned(
    wanted: Iterable[Located], found: Iterable[Found]
) -> Iterator[tuple[Located | None, Found | None]]:
    """Yield the entries of two sorted lists, those of the same path together."""
    left, right = iter(wanted), iter(found)
    one, other = next(left, None), next(right, None)
    while one or other:
        order = _order(one, other)
        yield (one if order <= 0 else None), (other if order >= 0 else None)
        one = next(left, None) if order <= 0 else one
        other = next(right, None) if order >= 0 else other


def _order(one: Located | None, other: Found | None) -> int:
    if one is None or other is None:
        return 1 if one is None else -1
    left, right = paths.sort_key(one[0].path), paths.sort_key(other.path)
    return (left > right) - (left < right)


def _path(wanted: Located | None, found: Found | None) -> str:
    if wanted:
        return wanted[0].path
    return found.path if found else ""
