"""What the process of a job prints with `--report lines`."""

from __future__ import annotations

from ..struct import Model, Request
from .caches import CachedVersion, CacheRoom
from .jobs import JobReport
from .versions import VersionReport


class CacheIndex(Model, frozen=True, kw_only=True):
    """What a cache holds, without leases, and its room."""

    items: tuple[CachedVersion, ...] = ()
    room: CacheRoom


class JobLine(Request, frozen=True, kw_only=True):
    """One line: the job's id and its report; standard output has nothing else.

    Jobs run in an image of the controller's version, so an unknown field is a mistake.

    The state of the last line is `done`, `failed` or `cancelled`. If the job worked on a cache, the
    last line has its `index`; if it added a version, `commit` says what it is.
    """

    job: str
    report: JobReport
    index: CacheIndex | None = None
    commit: VersionReport | None = None
