"""What a cache holds, and who uses it, read from its small files. All functions block."""

from __future__ import annotations

import hashlib
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

from ...errors import NotFound
from ...model.datasets.caches import CachedVersion, Pin
from ..disk.failures import storage
from ..processes import Owner, runs
from . import records
from .places import Place, places
from .records import Complete, Fetching, Used, Verified

STALE = 60_000_000_000
"""Nanoseconds without a sign of life after which a process that cannot be seen counts as dead."""
_UNKNOWN = datetime.fromtimestamp(0, UTC)


class FolderClock:
    """The clock of a folder's file system: the clocks of machines are not compared."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._now = 0

    def now(self) -> int:
        """Return the time in nanoseconds, asked once; this machine's where nothing can be written.

        Files are written, so it is asked only if needed.
        """
        self._now = self._now or self._ask()
        return self._now

    def _ask(self) -> int:
        probe = self._root / f".{uuid.uuid4().hex}.tmp"
        try:
            probe.touch()
            stamp = probe.stat().st_mtime_ns
            probe.unlink()
        except OSError:
            return time.time_ns()
        return stamp


def lives(owner: Owner, renewed: int, clock: FolderClock) -> bool:
    """Return whether a process lives that gave its last sign of life at `renewed`.

    A process of this machine, or container, is looked up; of another one, the sign must be recent.
    """
    found = runs(owner)
    return clock.now() - renewed < STALE if found is None else found


def use(place: Place, when: datetime) -> None:
    """Note that a session uses a version now. Only the controller does.

    :raises StorageFailed: it cannot be written.
    """
    with storage(place.root):
        records.write(place.side / "used.json", Used(when), durable=False)


def pin(place: Place, wish: Pin) -> None:
    """Keep a version for a user, who may have one pin; also one that is not cached yet.

    :raises StorageFailed: it cannot be written.
    """
    with storage(place.root):
        records.write(_pin(place, wish.user), wish)


def unpin(place: Place, user: str) -> None:
    """Remove a user's pin.

    :raises NotFound: the user has none here.
    :raises StorageFailed: it cannot be removed.
    """
    with storage(place.root):
        try:
            _pin(place, user).unlink()
        except FileNotFoundError as error:
            raise NotFound(
                f"{user} has no pin on {place.dataset}@{place.version[:12]}.",
                hint="List who has pinned it: data caches.",
            ) from error


def _pin(place: Place, user: str) -> Path:
    """Return the file of a user's pin; names of users may contain anything."""
    return place.side / "pins" / f"{hashlib.sha256(user.encode()).hexdigest()[:32]}.json"


def read(root: Path) -> list[CachedVersion]:
    """Return every version in a cache, without leases: those are the controller's.

    A version is `fetching` while a process fetches it, `clearing` while its files are removed, and
    `damaged` while a file is not what its version says. What dead processes have left is not
    listed; `sweep` removes it.
    """
    clock = FolderClock(root)
    found = (_version(each, clock) for each in places(root))
    return [each for each in found if each]


def needed(root: Path) -> set[str]:
    """Return the ids of all versions that are in a cache, or that a pin shall keep."""
    return {each.version for each in places(root) if each.is_cached or pins(each)}


def fetches(place: Place, clock: FolderClock) -> list[tuple[str, Fetching]]:
    """Return the running fetches of a version and their names, the oldest first."""
    found = []
    for path in (place.side / "fetching").glob("*.json"):
        record = records.read(path, Fetching)
        if record and lives(record.owner, renewed(path), clock):
            found.append((record.since or renewed(path), path.stem, record))
    found.sort(key=lambda each: each[:2])
    return [(name, record) for _, name, record in found]


def pins(place: Place) -> tuple[Pin, ...]:
    """Return the pins of a version, expired ones too. One that is malformed keeps it for ever."""
    found = []
    for path in sorted((place.side / "pins").glob("*.json")):
        pin = records.read(path, Pin)
        found.append(pin or Pin(user="?", why=f"{path} is malformed: remove it."))
    return tuple(found)


def _version(place: Place, clock: FolderClock) -> CachedVersion | None:
    """Return what is known of a version, None if nothing of it is there."""
    if place.is_cached:
        return _cached(place)
    running = fetches(place, clock)
    if running:
        _, fetch = running[0]
        return CachedVersion(
            dataset=place.dataset,
            version=place.version,
            state="fetching",
            size=fetch.size,
            files=fetch.files,
            done=fetch.done,
            used=datetime.fromtimestamp(fetch.since / 1e9, UTC),
            pins=pins(place),
        )
    return _clearing(place)


def _cached(place: Place) -> CachedVersion:
    complete = records.read(place.marker, Complete)
    used = records.read(place.side / "used.json", Used)
    verified = records.read(place.side / "verified.json", Verified)
    bad = complete is None or (verified is not None and verified.damaged)
    cached = complete.cached if complete else _UNKNOWN
    return CachedVersion(
        dataset=place.dataset,
        version=place.version,
        state="damaged" if bad else "cached",
        size=complete.bytes if complete else 0,
        files=complete.files if complete else 0,
        used=max(used.used, cached) if used else cached,
        verified=verified.verified if verified else None,
        pins=pins(place),
    )


def _clearing(place: Place) -> CachedVersion | None:
    for gone in sorted((place.side / "gone").glob("*")):
        if complete := records.read(gone / place.marker.name, Complete):
            return CachedVersion(
                dataset=place.dataset,
                version=place.version,
                state="clearing",
                size=complete.bytes,
                files=complete.files,
                used=complete.cached,
            )
    return None


def renewed(path: Path) -> int:
    """Return when a small file was last replaced, in nanoseconds of its file system's clock."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
