"""Read a length of time as users write it."""

from __future__ import annotations

import re

_SPAN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s?)?", re.ASCII)
LONGEST = 366 * 86_400
"""Longest time that may be asked for, in seconds."""

_SECONDS = (86_400, 3_600, 60, 1)


def parse_span(value: str | int) -> int:
    """Read seconds, `90s`, `30m`, `2h`, `1d` or `1h30m`; raise ValueError otherwise."""
    text = str(value).strip()
    match = _SPAN.fullmatch(text)
    if not text or not match:
        raise ValueError(f"{text!r} is not a length of time: write 90s, 30m, 2h or 1d.")
    return sum(int(part or 0) * size for part, size in zip(match.groups(), _SECONDS, strict=True))


def write_span(seconds: int) -> str:
    """Write seconds in the longest units that say them exactly: `8h`, `1h30m`; `0` for none."""
    parts = []
    for size, unit in zip(_SECONDS, "dhms", strict=True):
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0"
