"""Read durations as people write them."""

from __future__ import annotations

import re

LONGEST = 366 * 86_400
"""Longest duration, in seconds."""

_PARTS = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s?)?", re.ASCII)
_SIZES = (86_400, 3_600, 60, 1)


def parse_duration(text: str) -> int:
    """Read `8h`, `1h30m`, `90m`, `2d` or seconds; empty is 0. Raises ValueError otherwise."""
    match = _PARTS.fullmatch(text.replace(" ", ""))
    if not match:
        raise ValueError(f"{text!r} is no duration.")
    seconds = sum(int(n) * size for n, size in zip(match.groups("0"), _SIZES, strict=True))
    if seconds > LONGEST:
        raise ValueError(f"{text} is longer than a year.")
    return seconds


def duration_text(seconds: int) -> str:
    """Write a duration so that it reads back the same: `1h30m`; empty for 0."""
    parts = []
    for size, unit in zip(_SIZES, "dhms", strict=True):
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts)
