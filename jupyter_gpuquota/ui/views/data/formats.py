"""How sizes, times and paths of data are written."""

from __future__ import annotations

from datetime import UTC, datetime

from ....model.datasets.names import received_path, shown_path
from ....model.datasets.versions import SHOWN
from ....model.messages.formats import size as size_text
from ..view import span_text

__all__ = [
    "ago_text",
    "copy_text",
    "count_text",
    "left_text",
    "path_text",
    "short",
    "size_text",
]


def count_text(count: int, noun: str) -> str:
    """Return a number of things: `1 file`, `50,000 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def left_text(seconds: int) -> str:
    """Return the time that is left, in its largest unit: `40 s`, `3 min`, `2 h`."""
    if seconds < 60:
        return f"{seconds} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{round(seconds / 3600)} h"


def ago_text(time: datetime | None) -> str:
    """Return how long ago something was: `5m ago`; nothing for None."""
    return f"{span_text(time, datetime.now(UTC))} ago" if time else ""


def short(version: str) -> str:
    """Return the digits of an id that are shown."""
    return version[:SHOWN]


def path_text(path: str, *, raw: bool = False) -> str:
    """Return a path that was received as one printable line."""
    return shown_path(received_path(path, raw=raw))


def copy_text(state: str, done: int, size: int) -> str:
    """Return the state of a copy: `cached`, `fetching 43 %`."""
    if state == "fetching" and size:
        return f"fetching {100 * done // size} %"
    return state
