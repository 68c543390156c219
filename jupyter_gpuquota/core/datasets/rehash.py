"""Which cached version is hashed again next."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from ...model.datasets.caches import CachedVersion

EVERY = timedelta(days=7)
"""How often each cached version is hashed."""
_QUIET = timedelta(hours=1)
"""How long a version that was never hashed again is left alone after its last use."""


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
