"""Tell how GPUs were used in some time.

Every sample goes into one bucket of each tier at once; a finer tier is kept for a shorter time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..errors import FieldError, refused
from ..model.history import By, History, HistoryQuery
from ..model.resources import Node
from . import userhours
from .access import Rights
from .buckets import Bucket, coarsen, point

DAY = 86_400
MOST_HOURS = 10 * 366 * 24
MOST_POINTS = 2000
_STEPS = (30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, DAY)
"""Steps that are easily read; each is a whole number of those of the tier that it is made of."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Be a fineness: buckets of `step` seconds, kept for `age` seconds."""

    step: int
    age: int


def tiers(days: int) -> tuple[Tier, ...]:
    """Return the tiers, finest first, of a history that is kept for so many days."""
    kept = days * DAY
    return (Tier(30, min(kept, DAY)), Tier(300, min(kept, 7 * DAY)), Tier(3600, kept))


@dataclass(frozen=True, slots=True)
class Sight:
    """Whose names a user may be told: all those of some projects, and the own in any."""

    user: str
    projects: frozenset[str]


def sight_of(rights: Rights) -> Sight | None:
    """Return whose names a caller may be told; None for all."""
    return None if rights.admin else Sight(rights.caller.name, frozenset(rights.roles))


@dataclass(frozen=True, slots=True)
class Window:
    """Be a time that is asked for, in at most `points` points.

    An empty `project` or `user` means all; without a `sight` all names may be told.
    """

    since: datetime
    until: datetime
    points: int
    project: str = ""
    user: str = ""
    by: By = "project"
    sight: Sight | None = None

    def shows(self, bucket: Bucket) -> bool:
        """Tell whether a bucket's user may be told."""
        sight = self.sight
        if sight is None or not bucket.user:
            return True
        return bucket.user == sight.user or bucket.project in sight.projects

    def wants(self, bucket: Bucket) -> bool:
        """Tell whether a bucket is of the project and the user that are asked for."""
        return self.project in {"", bucket.project} and self.user in {"", bucket.user}

    def step(self, interval: int, kept: Sequence[Tier], now: datetime) -> int:
        """Choose the length of the points, in seconds.

        They are no finer than the samples (one in `interval` seconds) and than the tier that
        reaches back far enough, and no more than are wanted.
        """
        begin, end = self.since.timestamp(), self.until.timestamp()
        needed = max(interval, -(-int(end - begin) // (self.points - 1)))
        reach = [tier.step for tier in kept if begin >= now.timestamp() - tier.age]
        needed = max(needed, reach[0] if reach else kept[-1].step)
        return next((step for step in _STEPS if step >= needed), -(-needed // DAY) * DAY)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Be what is recorded of a time: to make points of `step` seconds of, and of all of it."""

    step: int
    buckets: Iterable[Bucket]
    sums: Iterable[Bucket]


def tell(found: Recorded, asked: Window, nodes: Sequence[Node], *, note: str = "") -> History:
    """Return what is known of a time."""
    buckets, sums = coarsen(found.buckets, found.step), tuple(found.sums)
    told = _by_user(buckets) if asked.by == "user" else (b for b in buckets if not b.user)
    users = userhours.sum_up(b for b in sums if asked.wants(b) and asked.shows(b))
    simulated = any(node.simulated for node in nodes)
    notes = [note, "Times in which nothing ran or waited, or no controller ran, have no points."]
    if simulated:
        notes.append("Utilisation cannot be measured: the GPUs are simulated.")
    if asked.by == "user":
        notes += _unnamed(sums, asked)
    return History(
        points=tuple(point(b) for b in told if asked.wants(b) and asked.shows(b)),
        users=users,
        by=asked.by,
        step=found.step,
        since=asked.since,
        until=asked.until,
        simulated=simulated,
        note=" ".join(part for part in notes if part),
    )


def _by_user(buckets: Sequence[Bucket]) -> Iterator[Bucket]:
    """Iterate over users, as means over the time of their project, so that they add up to it."""
    seconds = {(b.at, b.project): b.seconds for b in buckets if not b.user}
    for bucket in buckets:
        if bucket.user:
            whole = seconds.get((bucket.at, bucket.project), bucket.seconds)
            yield bucket if whole == bucket.seconds else replace(bucket, seconds=whole)


def _unnamed(sums: Sequence[Bucket], asked: Window) -> Iterator[str]:
    """Say why users are missing."""
    if not all(map(asked.shows, sums)):
        yield "Users of projects that you are no member of are not named."
    if not asked.user and any(not u.user for u in userhours.sum_up(sums)):
        yield "What was recorded without its users has no names."


def tier_of_sums(asked: Window, kept: Sequence[Tier], now: datetime) -> Tier:
    """Return the tier to sum a time up from: to a hundredth of it, if it is kept that fine."""
    begin, end = asked.since.timestamp(), asked.until.timestamp()
    reach = [tier for tier in kept if begin >= now.timestamp() - tier.age] or kept[-1:]
    return [reach[0], *(tier for tier in reach if 100 * tier.step <= end - begin)][-1]


def tier_for(step: int, kept: Sequence[Tier]) -> Tier:
    """Return the coarsest tier that points of so many seconds can be made of."""
    return [tier for tier in kept if tier.step <= step][-1]


def window(query: HistoryQuery, now: datetime) -> Window:
    """Read a query. Raises InvalidFields with all that is wrong."""
    errors = [
        FieldError(field, f"{value} is not possible.", f"Take {least} to {most}.")
        for field, value, least, most in (
            ("hours", query.hours, 1, MOST_HOURS),
            ("points", query.points, 2, MOST_POINTS),
        )
        if not least <= value <= most
    ]
    errors += [
        FieldError(field, "It has no time zone.", "Write it as in 2026-01-31T12:00:00Z.")
        for field, value in (("since", query.since), ("until", query.until))
        if value is not None and value.tzinfo is None
    ]
    if not errors:
        until = query.until or now
        since = query.since or until - timedelta(hours=query.hours)
        if timedelta() < until - since <= timedelta(hours=MOST_HOURS):
            by: By = "user" if query.user else query.by
            return Window(since, until, query.points, query.project, query.user, by)
        hint = f"Take a time that begins before it ends, {MOST_HOURS // 24} days at the most."
        errors = [FieldError("since", f"From {since} to {until} is not possible.", hint)]
    raise refused(*errors)
