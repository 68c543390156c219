"""What other quotas would have meant for the recorded usage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from ...model.history import HistoryPoint
from ...model.messages.build import joined, message
from ...model.projects import ChangePreview, PastEffect
from ...model.quota import Project
from ...model.struct import Message
from ..scheduling.fairshare import Demand, fair_shares


def with_past(
    preview: ChangePreview,
    points: Sequence[HistoryPoint],
    before: Iterable[Project],
    after: Iterable[Project],
    capacity: int,
) -> ChangePreview:
    """Return a preview that also has what the change would have meant for the points.

    `capacity` (milli-GPU) is today's: that of the past is not recorded.
    """
    effects = replay(points, tuple(before), tuple(after), capacity)
    if not effects:
        return preview
    past = (message("past.week"), *(each for effect in effects for each in _sentences(effect)))
    sentences = (*preview.sentences, *past)
    text = f"{preview.message} {joined(*past)}"
    return msgspec.structs.replace(preview, past=effects, message=text, sentences=sentences)


def replay(
    points: Sequence[HistoryPoint],
    before: Sequence[Project],
    after: Sequence[Project],
    capacity: int,
) -> tuple[PastEffect, ...]:
    """Compare the fair shares of two sets of projects with what was held and requested."""
    gained: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for _, step in groupby(sorted(points, key=lambda p: (p.at, p.project)), key=lambda p: p.at):
        at_once = tuple(step)
        old, new = (_shares(at_once, projects, capacity) for projects in (before, after))
        for point in at_once:
            then, now = old.get(point.project, 0), new.get(point.project, 0)
            gained[point.project] += point.seconds * (_due(point, now) - _due(point, then))
            lost[point.project] += point.seconds * (_beyond(point, now) - _beyond(point, then))
    effects = (
        PastEffect(name=name, gained=_hours(gained[name]), lost=_hours(lost[name]))
        for name in sorted({*gained, *lost})
    )
    return tuple(effect for effect in effects if effect.gained or effect.lost)


def _shares(
    points: Sequence[HistoryPoint], projects: Sequence[Project], capacity: int
) -> dict[str, int]:
    requested = {point.project: point.allocated + point.requested for point in points}
    return fair_shares((Demand(p, requested.get(p.name, 0)) for p in projects), capacity)


def _due(point: HistoryPoint, fair: int) -> int:
    """Return how much of what a project requested was within its fair share."""
    return min(point.requested, max(0, fair - point.allocated))


def _beyond(point: HistoryPoint, fair: int) -> int:
    """Return how much of what a project held could have been reclaimed."""
    return max(0, point.allocated - fair)


def _hours(milli_seconds: int) -> int:
    """Return milli-GPU hours, rounded towards 0."""
    return int(milli_seconds / 3600)


def _sentences(effect: PastEffect) -> Iterator[Message]:
    if effect.gained:
        key = "past.gained" if effect.gained > 0 else "past.missed"
        yield message(key, project=effect.name, hours=abs(effect.gained))
    if effect.lost:
        key = "past.lost" if effect.lost > 0 else "past.safe"
        yield message(key, project=effect.name, hours=abs(effect.lost))
