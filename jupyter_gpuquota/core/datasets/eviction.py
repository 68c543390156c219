"""Which cached versions go, and which one is hashed again next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ...model.datasets.caches import CachedVersion, CacheRoom, CacheRules, Pin

EVERY = timedelta(days=7)
"""How often each cached version is hashed."""
_QUIET = timedelta(hours=1)
"""How long a version that was never hashed again is left alone after its last use."""
RulesOf = Callable[[CachedVersion], CacheRules]
"""The rules for a version: those of its dataset, of its project, or of everybody."""


def next_to_verify(versions: Iterable[CachedVersion], now: datetime) -> CachedVersion | None:
    """Return the version that was verified longest ago, if that is long enough; else None.

    Hashing takes the disk from those who use it, so a version that was never hashed since it was
    fetched, and verified then, waits until it is not used for a while.
    """
    due = [version for version in versions if version.state == "cached" and _due(version, now)]
    return min(due, key=lambda version: (version.verified or version.used), default=None)


def _due(version: CachedVersion, now: datetime) -> bool:
    if version.verified:
        return now - version.verified >= EVERY
    begun = min((lease.since for lease in version.leases), default=now)
    return now - version.used >= _QUIET or now - begun >= EVERY


class Admission(NamedTuple):
    """Whether a version can be fetched: what goes for it, or how many bytes are short."""

    evict: tuple[CachedVersion, ...] = ()
    short: int = 0


def kept_by_pin(version: CachedVersion, now: datetime) -> tuple[Pin, ...]:
    """Return the pins of a version that still hold."""
    return tuple(pin for pin in version.pins if pin.until is None or pin.until > now)


def evictable(version: CachedVersion, now: datetime) -> bool:
    """Return whether neither a session nor a pin nor a fetch keeps a version."""
    return version.state == "cached" and not version.leases and not kept_by_pin(version, now)


def room(versions: Sequence[CachedVersion], capacity: int, free: int, now: datetime) -> CacheRoom:
    """Return how full a cache is; `free` bytes are left in its file system."""
    fetching = [version for version in versions if version.state == "fetching"]
    return CacheRoom(
        capacity=capacity,
        used=sum(version.size for version in versions if version.state != "fetching")
        + sum(version.done for version in fetching),
        committed=sum(version.size for version in versions),
        evictable=sum(version.size for version in versions if evictable(version, now)),
        free=free,
    )


def due(
    versions: Sequence[CachedVersion], capacity: int, rules: RulesOf, now: datetime
) -> list[CachedVersion]:
    """Return the versions to evict: those unused for too long, then the least recently used.

    The latter only while the cache is fuller than the high-water mark of the version's rules.
    """
    going: list[CachedVersion] = []
    committed = sum(version.size for version in versions)
    for version in _oldest_first(versions, now):
        rule = rules(version)
        expired = rule.unused is not None and now - version.used >= rule.unused
        if expired or committed > rule.high_water * capacity:
            going.append(version)
            committed -= version.size
    return going


def admit(
    versions: Sequence[CachedVersion], size: int, capacity: int, free: int, now: datetime
) -> Admission:
    """Return what has to go so that a version of `size` bytes can be fetched.

    It fits if all that is cached and being fetched, and it, are at most the capacity, and if the
    file system has room for what is still to come.
    """
    committed = sum(version.size for version in versions)
    coming = sum(version.size - version.done for version in versions if version.state == "fetching")
    short = max(committed + size - capacity, coming + size - free, 0)
    going: list[CachedVersion] = []
    for version in _oldest_first(versions, now):
        if short <= 0:
            break
        going.append(version)
        short -= version.size
    return Admission(short=short) if short > 0 else Admission(evict=tuple(going))


def _oldest_first(versions: Iterable[CachedVersion], now: datetime) -> list[CachedVersion]:
    found = (version for version in versions if evictable(version, now))
    return sorted(found, key=lambda version: (version.used, version.dataset, version.version))
