"""The usage of GPUs over time.

Every sample goes into one bucket of each tier; a finer tier is kept for a shorter time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from msgspec import structs

from ...model.history import By, History, HistoryQuery, UserHours
from ...model.resources import Node
from ..access import Rights
from ..fields import FieldReader
from .buckets import Bucket, coarsen, point

DAY = 86_400
MOST_HOURS = 10 * 366 * 24
MOST_POINTS = 2000
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_STEPS = (30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, DAY)
"""Steps that are easy to read; each is a multiple of the step of its tier."""


@dataclass(frozen=True, slots=True)
class Tier:
    """A resolution: buckets of `step` seconds, kept for `age` seconds."""

    step: int
    age: int


def tiers(days: int) -> tuple[Tier, ...]:
    """Return the tiers of a history that is kept for so many days, finest first."""
    kept = days * DAY
    return (Tier(30, min(kept, DAY)), Tier(300, min(kept, 7 * DAY)), Tier(3600, kept))


@dataclass(frozen=True, slots=True)
class VisibleUsers:
    """The users that a caller may see: all of some projects, and the caller in any."""

    user: str
    projects: frozenset[str]


def visible_users(rights: Rights) -> VisibleUsers | None:
    """Return the users that a caller may see; None for all."""
    return None if rights.admin else VisibleUsers(rights.caller.name, frozenset(rights.roles))


@dataclass(frozen=True, slots=True)
class Window:
    """A requested time, in at most `points` points.

    An empty `project` or `user` means all; with `visible` None, all users may be named. `elsewhere`
    says the same of other clusters, by their names. Points are of `least` seconds at least.
    """

    since: datetime
    until: datetime
    points: int
    project: str = ""
    user: str = ""
    by: By = "project"
    visible: VisibleUsers | None = None
    elsewhere: Mapping[str, VisibleUsers | None] = field(default_factory=dict)
    least: int = 0

    def shows(self, bucket: Bucket) -> bool:
        """Return whether a bucket's user may be named."""
        visible = self.visible
        if visible is None or not bucket.user:
            return True
        return bucket.user == visible.user or bucket.project in visible.projects

    def wants(self, bucket: Bucket) -> bool:
        """Return whether a bucket is of the requested project and user."""
        return self.project in {"", bucket.project} and self.user in {"", bucket.user}

    def step(self, interval: int, kept: Sequence[Tier], now: datetime) -> int:
        """Return the length of the points, in seconds.

        They are at least as long as `least`, as the samples' `interval` and as the step of the
        finest tier that reaches back far enough, and at most as many as requested.
        """
        begin, end = self.since.timestamp(), self.until.timestamp()
        needed = max(interval, self.least, -(-int(end - begin) // (self.points - 1)))
        reach = [tier.step for tier in kept if begin >= now.timestamp() - tier.age]
        needed = max(needed, reach[0] if reach else kept[-1].step)
        return next((step for step in _STEPS if step >= needed), -(-needed // DAY) * DAY)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded of a time: buckets for points of `step` seconds, and sums of all of it."""

    step: int
    buckets: Iterable[Bucket]
    sums: Iterable[Bucket]


def summarize(
    recorded: Recorded, window: Window, nodes: Sequence[Node], *, note: str = ""
) -> History:
    """Return the history of a time."""
    buckets, sums = coarsen(recorded.buckets, recorded.step), tuple(recorded.sums)
    shown = _by_user(buckets) if window.by == "user" else (b for b in buckets if not b.user)
    users = sum_up(b for b in sums if window.wants(b) and window.shows(b))
    simulated = any(node.simulated for node in nodes)
    notes = [note, "Gaps: nothing was running or queued, or no controller was running."]
    if simulated:
        notes.append("Utilisation is not available for simulated GPUs.")
    if window.by == "user":
        notes += _unnamed(sums, window)
    notes = [each for each in notes if each]
    return History(
        points=tuple(point(b) for b in shown if window.wants(b) and window.shows(b)),
        users=users,
        by=window.by,
        step=recorded.step,
        since=window.since,
        until=window.until,
        simulated=simulated,
        note=" ".join(notes),
        notes=tuple(notes),
    )


def _by_user(buckets: Sequence[Bucket]) -> Iterator[Bucket]:
    """Iterate over users as means over the time of their project, so that they add up."""
    seconds = {(b.at, b.project): b.seconds for b in buckets if not b.user}
    for bucket in buckets:
        if bucket.user:
            whole = seconds.get((bucket.at, bucket.project), bucket.seconds)
            yield bucket if whole == bucket.seconds else replace(bucket, seconds=whole)


def _unnamed(sums: Sequence[Bucket], window: Window) -> Iterator[str]:
    """Return why users are missing."""
    if not all(map(window.shows, sums)):
        yield "Users of projects that you do not belong to are not named."
    if not window.user and any(not u.user for u in sum_up(sums)):
        yield "Usage that was recorded without users has no names."


def tier_of_sums(window: Window, kept: Sequence[Tier], now: datetime) -> Tier:
    """Return the tier for the sums of a time: to a hundredth of it, if it is kept that fine."""
    begin, end = window.since.timestamp(), window.until.timestamp()
    reach = [tier for tier in kept if begin >= now.timestamp() - tier.age] or kept[-1:]
    return [reach[0], *(tier for tier in reach if 100 * tier.step <= end - begin)][-1]


def tier_for(step: int, kept: Sequence[Tier]) -> Tier:
    """Return the coarsest tier for points of so many seconds."""
    return [tier for tier in kept if tier.step <= step][-1]


def window_of(query: HistoryQuery, now: datetime) -> Window:
    """Return the time that a query requests. Raises InvalidFields with every invalid field."""
    reader = FieldReader()
    reader.within("hours", query.hours, 1, MOST_HOURS)
    reader.within("points", query.points, 2, MOST_POINTS)
    for name, value in (("since", query.since), ("until", query.until)):
        if value is not None and value.tzinfo is None:
            reader.wrong(name, "time.zone")
        elif value is not None and not _EARLIEST < value < _LATEST:
            years = {"first": str(_EARLIEST.year), "last": str(_LATEST.year)}
            reader.wrong(name, "time.years", **years)
    reader.finish()
    until = query.until or now
    since = query.since or until - timedelta(hours=query.hours)
    if not timedelta() < until - since <= timedelta(hours=MOST_HOURS):
        reader.wrong("since", "time.order", days=MOST_HOURS // 24)
    reader.finish()
    by: By = "user" if query.user else query.by
    return Window(since, until, query.points, query.project, query.user, by)


def united(found: Mapping[str, History], missing: Mapping[str, str]) -> History:
    """Return the histories of clusters, which have the same step, as one.

    `missing` maps the clusters that could not be asked to why.
    """
    every = tuple(found.values())
    points = (point for each in every for point in each.points)
    notes = (*_notes(found), *(f"{name} is missing: {why}" for name, why in missing.items()))
    return structs.replace(
        every[0],
        points=tuple(sorted(points, key=lambda point: point.at)),
        users=tuple(user for each in every for user in each.users),
        simulated=any(each.simulated for each in every),
        note=" ".join(notes),
        notes=notes,
    )


def _notes(found: Mapping[str, History]) -> Iterator[str]:
    """Iterate over the notes; one that is not true of all clusters begins with their names."""
    for note in dict.fromkeys(note for each in found.values() for note in each.notes):
        about = [name for name, each in found.items() if note in each.notes]
        yield note if len(about) == len(found) else f"{', '.join(about)}: {note}"


_HOUR = 3600


def sum_up(buckets: Iterable[Bucket]) -> tuple[UserHours, ...]:
    """Return the GPU hours of every project by user, the most first.

    The part of a project that no user's bucket has comes last, without a name, so that all add up
    to the project.
    """
    wholes: dict[str, Bucket] = {}
    users: dict[str, dict[str, Bucket]] = {}
    for bucket in buckets:
        own = users.setdefault(bucket.project, {}) if bucket.user else wholes
        key = bucket.user or bucket.project
        own[key] = own[key] + bucket if key in own else bucket
    found: list[UserHours] = []
    for project in sorted({*wholes, *users}):
        own = users.get(project, {})
        named = sorted(map(_hours, own.values()), key=lambda u: (-u.allocated, -u.waited, u.user))
        rest = _without(wholes.get(project, Bucket(at=0, project=project)), own.values())
        found += [*named, _hours(rest)]
    return tuple(u for u in found if u.allocated or u.waited)


def _without(whole: Bucket, users: Iterable[Bucket]) -> Bucket:
    """Return the rest of a project; its utilisation is known only if that is all of it."""
    rest = whole
    for user in users:
        rest = replace(
            rest,
            allocated=max(0, rest.allocated - user.allocated),
            borrowed=max(0, rest.borrowed - user.borrowed),
            asked=max(0, rest.asked - user.asked),
            busy=0,
            measured=0,
        )
    return rest


def _hours(bucket: Bucket) -> UserHours:
    allocated, borrowed, waited = (
        _rounded(total, _HOUR) for total in (bucket.allocated, bucket.borrowed, bucket.asked)
    )
    return UserHours(
        project=bucket.project,
        user=bucket.user,
        allocated=allocated,
        borrowed=borrowed,
        waited=waited,
        utilisation=_rounded(bucket.busy, bucket.measured) if bucket.measured else None,
    )


def _rounded(total: int, parts: int) -> int:
    return (2 * total + parts) // (2 * parts)
