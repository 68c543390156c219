"""Tell whether quiet hours hold: by the clock on the wall of their time zone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from ..model.policy import DAYS, QuietHours


def active(hours: Iterable[QuietHours], now: datetime) -> tuple[QuietHours, ...]:
    """Return those quiet hours that hold now."""
    return tuple(each for each in hours if _holds(each, now))


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
