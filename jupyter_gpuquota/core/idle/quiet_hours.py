"""Whether quiet hours are active, and when: by the wall clock of their time zone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from ...model.policy import DAYS, QuietHours


def active(hours: Iterable[QuietHours], now: datetime) -> tuple[QuietHours, ...]:
    """Return the quiet hours that are active now."""
    return tuple(each for each in hours if _is_active(each, now))


def due(hours: QuietHours, since: datetime, now: datetime) -> datetime:
    """Return when a session that is idle since a time is ended in these quiet hours."""
    soonest = max(now, since + timedelta(seconds=hours.idle_timeout))
    return soonest if _is_active(hours, soonest) else _next(hours, soonest)


def _next(hours: QuietHours, after: datetime) -> datetime:
    """Return when they begin next, within a week, on one of their days."""
    zone = ZoneInfo(hours.zone)
    first = after.astimezone(zone).replace(
        hour=hours.begin // 60, minute=hours.begin % 60, second=0, microsecond=0, fold=0
    )
    days = (first + timedelta(days=day) for day in range(9))
    found = (day.astimezone(UTC) for day in days if _on(hours, day))
    return next(begin for begin in found if begin > after)


def _is_active(hours: QuietHours, now: datetime) -> bool:
    """Compare wall clock times, also for hours that DST skips or repeats."""
    wall = now.astimezone(ZoneInfo(hours.zone))
    minute = wall.hour * 60 + wall.minute
    if hours.begin < hours.end:
        return hours.begin <= minute < hours.end and _on(hours, wall)
    if minute >= hours.begin:
        return _on(hours, wall)
    return minute < hours.end and _on(hours, wall - timedelta(days=1))


def _on(hours: QuietHours, begun: datetime) -> bool:
    return not hours.days or DAYS[begun.weekday()] in hours.days
