"""Removing versions from a cache, and what dead processes left. All functions block."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ...errors import InUse
from .. import published
from ..disk.failures import storage
from . import index
from .index import STALE, FolderClock
from .places import Place, places

KEPT = 3_600_000_000_000
"""Nanoseconds for which the part of a dead fetch is kept: the next fetch goes on from there."""


def evict(place: Place, now: datetime) -> bool:
    """Remove a version from a cache, and what is known of it; return whether it was there.

    Whether a session uses it is known to the controller alone, which asks before.

    :raises InUse: users have pinned it.
    :raises StorageFailed: it cannot be removed.
    """
    with storage(place.root):
        pinned = [pin.user for pin in index.pins(place) if pin.until is None or pin.until > now]
        if pinned:
            raise InUse(
                f"{place.dataset}@{place.version[:12]} is pinned by {', '.join(pinned)}.",
                hint="Ask them to unpin it.",
            )
        try:
            gone = published.withdraw(place.folder, place.side / "gone" / uuid.uuid4().hex)
        except FileNotFoundError:
            _tidy(place)
            return False
        published.remove(gone)
        for path in (place.side / "pins").glob("*.json"):
            path.unlink(missing_ok=True)
        published.remove(place.side / "quarantine")
        _forget(place)
        _tidy(place)
        return True


def sweep(root: Path, kept: int = KEPT) -> list[Path]:
    """Remove what dead processes have left in a cache, and return it.

    What they had fetched is kept for a time; `kept` in nanoseconds.

    :raises StorageFailed: something cannot be removed.
    """
    removed = []
    with storage(root):
        clock = FolderClock(root)
        for place in places(root):
            for path in _left(place, clock, kept):
                published.remove(path) if path.is_dir() else path.unlink(missing_ok=True)
                removed.append(path)
            if not place.is_cached and not index.fetches(place, clock):
                _forget(place)
            _tidy(place)
    return removed


def left_over(place: Place) -> list[Path]:
    """Return what dead fetches of a version have written."""
    clock = FolderClock(place.root)
    return [path for path, _ in _parts(place, clock) if path.is_dir()]


def _left(place: Place, clock: FolderClock, kept: int) -> Iterator[Path]:
    """Yield what nobody needs any more."""
    if place.folder.exists() and not place.is_cached:
        yield published.withdraw(place.folder, place.side / "gone" / uuid.uuid4().hex)
    yield from (place.side / "gone").glob("*")
    for path, renewed in _parts(place, clock):
        if place.is_cached or clock.now() - renewed >= kept:
            yield path
            yield path.with_suffix(".json")
    for path in place.side.glob("**/.*.tmp"):
        if clock.now() - index.renewed(path) >= STALE:
            yield path


def _parts(place: Place, clock: FolderClock) -> Iterator[tuple[Path, int]]:
    """Yield what dead fetches have written, and when they gave the last sign of life."""
    folder = place.side / "fetching"
    running = {name for name, _ in index.fetches(place, clock)}
    for path in [*folder.glob("*.part"), *folder.glob("*.json")]:
        if path.stem not in running:
            yield path.with_suffix(".part"), index.renewed(path.with_suffix(".json"))


def _forget(place: Place) -> None:
    """Remove what is known of a version that is not there."""
    for name in ("used.json", "verified.json"):
        (place.side / name).unlink(missing_ok=True)


def _tidy(place: Place) -> None:
    """Remove folders that are empty."""
    folders = [place.side / name for name in ("pins", "fetching", "gone", "quarantine")]
    for folder in [*folders, place.side, place.root / place.dataset]:
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()
