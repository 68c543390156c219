"""Cached versions of datasets: the copies near the GPUs, who uses them, and the room for them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from ..struct import Model, Open, Request
from .jobs import Job

CacheState = Literal["fetching", "cached", "damaged", "clearing"]


class Lease(Model, frozen=True, kw_only=True):
    """One session that uses a cached version, by its id and its full name."""

    session: str
    name: str
    project: str = ""
    since: datetime


class Pin(Model, frozen=True, kw_only=True):
    """A wish to keep a cached version: whose, why, and until when; None is for ever."""

    user: str
    why: str = ""
    until: datetime | None = None


class CachedVersion(Model, frozen=True, kw_only=True):
    """One version in a cache.

    `size` is in bytes; while it is fetched, `done` of them are there. `used` is when a session last
    used it, or when it was cached.
    """

    dataset: str
    version: str
    state: Open[CacheState]
    size: int
    files: int
    done: int = 0
    used: datetime
    verified: datetime | None = None
    leases: tuple[Lease, ...] = ()
    pins: tuple[Pin, ...] = ()


class CacheRules(Model, frozen=True, kw_only=True):
    """When cached versions go: unused for a time, or earlier if the cache is fuller than a share.

    `unused` None keeps them until the room is needed; `high_water` is a share of the capacity.
    """

    unused: timedelta | None = timedelta(days=1)
    high_water: float = 0.9


class CacheRoom(Model, frozen=True, kw_only=True):
    """How full a cache is, in bytes.

    `committed` counts what is being fetched whole; `evictable` is what neither a session nor a pin
    keeps; `free` is what the file system has left.
    """

    capacity: int
    used: int = 0
    committed: int = 0
    evictable: int = 0
    free: int = 0


class CacheList(Model, frozen=True, kw_only=True):
    """The cached versions that the caller may see, and the room of the cache.

    `folder` is the root of the cache, as processes on the controller's machine find it.
    """

    items: tuple[CachedVersion, ...] = ()
    room: CacheRoom = msgspec.field(default_factory=lambda: CacheRoom(capacity=0))
    folder: str = ""


class CacheQuery(Request, frozen=True, kw_only=True):
    """Which cached versions to list: those of a dataset, or all."""

    dataset: str = ""


class CacheAnswer(Model, frozen=True, kw_only=True):
    """What caching a version has come to: it is there, or the job that fetches it."""

    copy: CachedVersion | None = None
    job: Job | None = None


class PinRequest(Request, frozen=True, kw_only=True):
    """A pin to set: why, and until when (`2d`, a date or a time; empty: for ever)."""

    why: str = ""
    until: str = ""


class VerifyRequest(Request, frozen=True, kw_only=True):
    """What to verify of a version: its objects in the lake, its cached copy."""

    lake: bool = True
    cache: bool = True
