"""Sample the use of GPUs, and make many samples few.

What is kept are sums over the time that was sampled (milli-GPU times seconds), so that buckets
can be put together in any order without losing anything but detail. Every sample goes into one
bucket of each tier at once; a finer tier is kept for a shorter time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ..errors import FieldError, InvalidFields
from ..model.history import History, HistoryPoint, HistoryQuery
from ..model.nodes import Reading
from ..model.quota import ProjectUse
from ..model.resources import Node
from ..model.sessions import Session

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
class Bucket:
    """Be what one project used in the time that begins `at` (seconds since 1970).

    `seconds` were sampled. `allocated`, `borrowed` and `asked` are sums of milli-GPU, `busy` of
    per cent, each times seconds; `measured` counts the seconds in which `busy` was known. `peak`
    and `waiting` are the highest that were seen.
    """

    at: int
    project: str
    seconds: int
    allocated: int = 0
    borrowed: int = 0
    asked: int = 0
    busy: int = 0
    measured: int = 0
    peak: int = 0
    waiting: int = 0

    def __add__(self, other: Bucket) -> Bucket:
        """Put two buckets of one project together; the sum begins with the first."""
        return Bucket(
            at=min(self.at, other.at),
            project=self.project,
            seconds=self.seconds + other.seconds,
            allocated=self.allocated + other.allocated,
            borrowed=self.borrowed + other.borrowed,
            asked=self.asked + other.asked,
            busy=self.busy + other.busy,
            measured=self.measured + other.measured,
            peak=max(self.peak, other.peak),
            waiting=max(self.waiting, other.waiting),
        )


def sample(
    uses: Iterable[ProjectUse],
    sessions: Sequence[Session],
    nodes: Sequence[Node],
    readings: Mapping[str, Reading],
    *,
    at: int,
    seconds: int,
) -> tuple[Bucket, ...]:
    """Return what every project uses now, as if it had been so for `seconds`."""
    busy = _utilisation(sessions, nodes, readings)
    return tuple(
        Bucket(
            at=at,
            project=use.name,
            seconds=seconds,
            allocated=use.allocated * seconds,
            borrowed=use.over * seconds,
            asked=(use.asked - use.allocated) * seconds,
            busy=busy.get(use.name, 0) * seconds,
            measured=seconds if use.name in busy else 0,
            peak=use.allocated,
            waiting=use.waiting,
        )
        for use in uses
    )


def _utilisation(
    sessions: Sequence[Session], nodes: Sequence[Node], readings: Mapping[str, Reading]
) -> dict[str, int]:
    """Tell the mean utilisation of the devices that each project holds a part of."""
    uuids = {(node.name, d.index): d.uuid for node in nodes for d in node.devices}
    held: dict[str, set[str]] = defaultdict(set)
    for session in sessions:
        if placement := session.placement:
            places = ((placement.node, piece.index) for piece in placement.slices)
            held[session.spec.project].update(uuids[p] for p in places if p in uuids)
    found = {}
    for project, devices in held.items():
        known = [r.utilisation for u in devices if (r := readings.get(u)) is not None]
        told = [percent for percent in known if percent is not None]
        if told:
            found[project] = sum(told) // len(told)
    return found


def coarsen(buckets: Iterable[Bucket], step: int) -> tuple[Bucket, ...]:
    """Put buckets together that begin in the same step, oldest first."""
    sums: dict[tuple[int, str], Bucket] = {}
    for bucket in buckets:
        at = bucket.at - bucket.at % step
        key = (at, bucket.project)
        moved = replace(bucket, at=at)
        sums[key] = sums[key] + moved if key in sums else moved
    return tuple(sums[key] for key in sorted(sums))


def point(bucket: Bucket) -> HistoryPoint:
    """Return a bucket as means."""
    allocated = _mean(bucket.allocated, bucket.seconds)
    borrowed = min(allocated, _mean(bucket.borrowed, bucket.seconds))
    return HistoryPoint(
        at=datetime.fromtimestamp(bucket.at, UTC),
        project=bucket.project,
        seconds=bucket.seconds,
        allocated=allocated,
        by_right=allocated - borrowed,
        borrowed=borrowed,
        asked=_mean(bucket.asked, bucket.seconds),
        peak=bucket.peak,
        waiting=bucket.waiting,
        utilisation=_mean(bucket.busy, bucket.measured) if bucket.measured else None,
    )


def _mean(total: int, seconds: int) -> int:
    return (2 * total + seconds) // (2 * seconds) if seconds else 0


@dataclass(frozen=True, slots=True)
class Window:
    """Be a time that is asked for, in at most `points` points."""

    since: datetime
    until: datetime
    points: int
    project: str = ""

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


def tell(
    buckets: Iterable[Bucket], asked: Window, step: int, nodes: Sequence[Node], *, note: str = ""
) -> History:
    """Return what is known of a time, in points of `step` seconds."""
    points = tuple(map(point, coarsen(buckets, step)))
    simulated = any(node.simulated for node in nodes)
    gaps = "Times in which nothing ran or waited, or no controller ran, have no points."
    blind = "Utilisation cannot be measured: the GPUs are simulated." if simulated else ""
    return History(
        points=points,
        step=step,
        since=asked.since,
        until=asked.until,
        simulated=simulated,
        note=" ".join(part for part in (note, gaps, blind) if part),
    )


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
            return Window(since, until, query.points, query.project)
        hint = f"Take a time that begins before it ends, {MOST_HOURS // 24} days at the most."
        errors = [FieldError("since", f"From {since} to {until} is not possible.", hint)]
    count = "One field is" if len(errors) == 1 else f"{len(errors)} fields are"
    raise InvalidFields(f"{count} not acceptable.", fields=tuple(errors))
