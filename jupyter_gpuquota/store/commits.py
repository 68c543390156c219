"""The history of a dataset: its commits."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Stats(msgspec.Struct, frozen=True):
    """What a version contains: files, their bytes, and the bytes that its commit added."""

    files: int = 0
    bytes: int = 0
    added: int = 0


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit: a version, where it came from, and who made it when.

    `parents` are ids of versions; `source` names the session or snapshot that produced it.
    """

    version: str
    parents: tuple[str, ...] = ()
    message: str = ""
    author: str = ""
    time: datetime
    stats: Stats = Stats()
    source: str = ""
