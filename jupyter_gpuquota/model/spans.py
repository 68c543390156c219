"""Durations as users write them."""

from __future__ import annotations

import re

_SPAN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s?)?", re.ASCII)
LONGEST = 366 * 86_400
"""Longest duration that is accepted, in seconds."""

_SECONDS = (86_400, 3_600, 60, 1)


def parse_span(value: str | int) -> int:
    """Return the seconds of `90`, `90s`, `30m`, `2h`, `1d` or `1h30m`. Raises ValueError."""
    text = str(value).strip()
    match = _SPAN.fullmatch(text)
    if not text or not match:
        raise ValueError(f"{text!r} is not a duration: use 90s, 30m, 2h or 1d.")
    return sum(int(part or 0) * size for part, size in zip(match.groups(), _SECONDS, strict=True))


def write_span(seconds: int) -> str:
    """Return seconds in the largest units that are exact: `8h`, `1h30m`; `0` for none."""
    parts = []
    for size, unit in zip(_SECONDS, "dhms", strict=True):
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0"
