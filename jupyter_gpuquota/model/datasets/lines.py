"""What a process prints that works on datasets, one JSON object a line: `--report lines`.

Each line has one of three things. A job's progress is a `report`. An index of the cache is one
`copy` for each of its versions, then `index`, which says how many these were; processes that have
changed a cache print it at their end, also where they have failed.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..struct import Model
from .caches import CachedVersion
from .jobs import JobReport


class CacheIndex(Model, frozen=True, kw_only=True):
    """The end of an index: how many versions it has, and when it was read.

    `free` and `total` are those of the cache's file system, in bytes.
    """

    copies: int
    free: int
    total: int
    read: datetime


class Line(Model, frozen=True, kw_only=True, omit_defaults=True):
    """One line."""

    report: JobReport | None = None
    copy: CachedVersion | None = None
    index: CacheIndex | None = None


def encode(line: Line) -> bytes:
    """Return a line with its end."""
    return msgspec.json.encode(line) + b"\n"


def decode(text: bytes) -> Line | None:
    """Return a line, None for what is not one, such as a warning of a library."""
    try:
        return msgspec.json.decode(text, type=Line)
    except msgspec.DecodeError:
        return None
