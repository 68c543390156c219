"""Tell whether quiet hours hold, and when: by the clock on the wall of their time zone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from ..model.policy import DAYS, QuietHours


def active(hours: Iterable[QuietHours], now: datetime) -> tuple[QuietHours, ...]:
    """Return those quiet hours that hold now."""
    return tuple(each for each in hours if _holds(each, now))


def due(hours: QuietHours, since: datetime, now: datetime) -> datetime:
    """Tell when, from now on, who is idle since a time is acted on in these quiet hours."""
    soonest = max(now, since + timedelta(seconds=hours.idle_timeout))
    return soonest if _holds(hours, soonest) else _next(hours, soonest)


def _next(hours: QuietHours, after: datetime) -> datetime:
    """Return when they begin next: within a week, on one of the days that they have."""
    zone = ZoneInfo(hours.zone)
    first = after.astimezone(zone).replace(
        hour=hours.begin // 60, minute=hours.begin % 60, second=0, microsecond=0, fold=0
    )
    days = (first + timedelta(days=day) for day in range(9))
    found = (day.astimezone(UTC) for day in days if _on(hours, day))
    return next(begin for begin in found if begin > after)


def _holds(hours: QuietHours, now: datetime) -> bool:
    """Compare what a clock on the wall shows: an hour that DST skips or repeats is as it shows."""
    wall = now.astimezone(ZoneInfo(hours.zone))
    minute = wall.hour * 60 + wall.minute
    if hours.begin < hours.end:
        return hours.begin <= minute < hours.end and _on(hours, wall)
    if minute >= hours.begin:
        return _on(hours, wall)
    return minute < hours.end and _on(hours, wall - timedelta(days=1))


def _on(hours: QuietHours, begun: datetime) -> bool:
    return not hours.days or DAYS[begun.weekday()] in hours.days
