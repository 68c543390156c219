"""Durations as users write them."""

from __future__ import annotations

import re

_UNITS = {
    "d": (86_400, "d|days?"),
    "h": (3_600, "h|hrs?|hours?"),
    "m": (60, "m|mins?|minutes?"),
    "s": (1, "s|secs?|seconds?"),
}
_PARTS = "".join(
    rf"(?:\s*(?:,|and\b)?\s*(?P<{unit}>\d{{1,9}}(?:\.\d{{1,6}})?)\s*(?:{words})(?![a-z]))?"
    for unit, (_, words) in _UNITS.items()
)
_SPAN = re.compile(rf"(?P<bare>\d{{1,9}})|(?=\d){_PARTS}", re.ASCII | re.IGNORECASE)
LONGEST = 366 * 86_400
"""Longest duration that is accepted, in seconds."""


def parse_span(value: str | int) -> int:
    """Return the seconds of `90`, `90s`, `30m`, `2 h`, `1.5 hours`, `3 days` or `1h30m`.

    Raises ValueError.
    """
    text = str(value).strip()
    match = _SPAN.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a duration: use 90s, 30m, 2h or 1d.")
    if match["bare"]:
        return int(match["bare"])
    exact = sum(float(match[unit] or 0) * size for unit, (size, _) in _UNITS.items())
    return max(1, round(exact)) if exact else 0  # 0 stands for never


def write_span(seconds: int) -> str:
    """Return seconds in the largest units that are exact: `8h`, `1h30m`; `0` for none."""
    parts = []
    for unit, (size, _) in _UNITS.items():
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0"
