"""Checking pins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ...errors import FieldError, refused
from ...model.datasets.caches import Pin, PinRequest
from ...model.spans import parse_span


def new_pin(request: PinRequest, user: str, now: datetime) -> Pin:
    """Return a pin until a time, or for a span (`2d`). Raises InvalidFields."""
    until = _until(request.until.strip(), now) if request.until.strip() else None
    return Pin(user=user, why=request.why, until=until)


def _until(text: str, now: datetime) -> datetime:
    try:
        until = now + timedelta(seconds=parse_span(text))
    except ValueError:
        until = _time(text)
    if until <= now:
        raise refused(FieldError("until", "It must be in the future.", "Such as 2d or 2030-01-31."))
    return until


def _time(text: str) -> datetime:
    """Return a date or time; one without a zone is UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        hint = "Give a span such as 2d, or a date such as 2030-01-31."
        raise refused(FieldError("until", f"{text!r} is not a time.", hint)) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
