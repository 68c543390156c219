"""Sums of usage over time, which can be merged in any order.

They are sums over the sampled time (milli-GPU times seconds), so that merging loses detail only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ...model.history import HistoryPoint


@dataclass(frozen=True, slots=True)
class Bucket:
    """What a project, or one of its users, used in the time that begins `at` (since 1970).

    An empty `user` is the project as a whole, which is kept beside its users because its peak is
    not the sum of theirs.
    `seconds` were sampled. `allocated`, `borrowed` and `asked` are sums of milli-GPU, `busy` of
    per cent, each times seconds; `measured` counts the seconds in which `busy` was known. `peak`
    and `waiting` are maxima.
    """

    at: int
    project: str
    user: str = ""
    seconds: int = 0
    allocated: int = 0
    borrowed: int = 0
    asked: int = 0
    busy: int = 0
    measured: int = 0
    peak: int = 0
    waiting: int = 0

    def __add__(self, other: Bucket) -> Bucket:
        """Return the sum of two buckets of one project and user, from the earlier time."""
        return Bucket(
            at=min(self.at, other.at),
            project=self.project,
            user=self.user,
            seconds=self.seconds + other.seconds,
            allocated=self.allocated + other.allocated,
            borrowed=self.borrowed + other.borrowed,
            asked=self.asked + other.asked,
            busy=self.busy + other.busy,
            measured=self.measured + other.measured,
            peak=max(self.peak, other.peak),
            waiting=max(self.waiting, other.waiting),
        )


def coarsen(buckets: Iterable[Bucket], step: int) -> tuple[Bucket, ...]:
    """Return buckets merged by step, oldest first."""
    sums: dict[tuple[int, str, str], Bucket] = {}
    for bucket in buckets:
        at = bucket.at - bucket.at % step
        key = (at, bucket.project, bucket.user)
        moved = bucket if at == bucket.at else replace(bucket, at=at)
        sums[key] = sums[key] + moved if key in sums else moved
    return tuple(sums[key] for key in sorted(sums))


def point(bucket: Bucket) -> HistoryPoint:
    """Return a bucket as means over time."""
    allocated = _mean(bucket.allocated, bucket.seconds)
    borrowed = min(allocated, _mean(bucket.borrowed, bucket.seconds))
    return HistoryPoint(
        at=datetime.fromtimestamp(bucket.at, UTC),
        project=bucket.project,
        user=bucket.user,
        seconds=bucket.seconds,
        allocated=allocated,
        in_quota=allocated - borrowed,
        borrowed=borrowed,
        requested=_mean(bucket.asked, bucket.seconds),
        peak=bucket.peak,
        waiting=bucket.waiting,
        utilisation=_mean(bucket.busy, bucket.measured) if bucket.measured else None,
    )


def _mean(total: int, seconds: int) -> int:
    return (2 * total + seconds) // (2 * seconds) if seconds else 0
