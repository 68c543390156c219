"""Tell whether quiet hours hold: by the clock on the wall of their time zone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from ..model.policy import DAYS, QuietHours
from .spans import write_span


def active(hours: Iterable[QuietHours], now: datetime) -> tuple[QuietHours, ...]:
    """Return those quiet hours that hold now."""
    return tuple(each for each in hours if _holds(each, now))


def written(hours: QuietHours) -> str:
    """Write quiet hours as one line."""
    days = ",".join(hours.days) or "daily"
    span = f"{_clock(hours.begin)}-{_clock(hours.end)}"
    return f"{days} {span} {hours.zone}: {write_span(hours.idle_timeout)}"


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


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
