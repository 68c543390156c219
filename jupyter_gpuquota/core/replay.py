"""Say what other quotas would have meant for the use that was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from ..model.history import HistoryPoint
from ..model.projects import ChangePreview, PastEffect
from ..model.quota import Project
from ..model.resources import gpus_text
from .fairshare import Demand, fair_shares


def with_past(
    found: ChangePreview,
    points: Sequence[HistoryPoint],
    before: Iterable[Project],
    after: Iterable[Project],
    capacity: int,
) -> ChangePreview:
    """Return a preview that also says what the change would have meant for the points.

    `capacity` (milli-GPU) is today's: what the machine had then is not recorded.
    """
    effects = replay(points, tuple(before), tuple(after), capacity)
    if not effects:
        return found
    told = " ".join(_text(effect) for effect in effects)
    message = f"{found.message} Over the last week: {told}"
    return msgspec.structs.replace(found, past=effects, message=message)


def replay(
    points: Sequence[HistoryPoint],
    before: Sequence[Project],
    after: Sequence[Project],
    capacity: int,
) -> tuple[PastEffect, ...]:
    """Compare the fair shares of two sets of projects with what was held and waited for."""
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
    asked = {point.project: point.allocated + point.asked for point in points}
    return fair_shares((Demand(p, asked.get(p.name, 0)) for p in projects), capacity)


def _due(point: HistoryPoint, fair: int) -> int:
    """Tell how much of what a project waited for was inside its fair share."""
    return min(point.asked, max(0, fair - point.allocated))


def _beyond(point: HistoryPoint, fair: int) -> int:
    """Tell how much of what a project held others could have taken back."""
    return max(0, point.allocated - fair)


def _hours(milli_seconds: int) -> int:
    """Round to milli-GPU hours, towards 0."""
    return int(milli_seconds / 3600)


def _text(effect: PastEffect) -> str:
    gained = f"{gpus_text(abs(effect.gained))} GPU hours"
    lost = f"{gpus_text(abs(effect.lost))} GPU hours"
    parts = []
    if effect.gained:
        more = "had a right to" if effect.gained > 0 else "had no right to any more"
        parts.append(f"would have {more} {gained} that it waited for")
    if effect.lost:
        less = "could have been taken back from it" if effect.lost > 0 else "would have been safe"
        parts.append(f"{lost} {less}")
    return (
        f"{effect.name} {', and '.join(parts)}." if effect.gained else f"{effect.name}: {parts[0]}."
    )
