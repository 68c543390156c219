"""Versions of datasets: immutable, each named by the sha256 of its manifest."""

from __future__ import annotations

from datetime import datetime

from ..struct import Model, Open, Request
from .caches import CacheState

LATEST = "latest"
SHORTEST = 4
"""Digits that a prefix of an id has at least."""
SHOWN = 12
"""Digits of an id that are shown."""


class VersionCopy(Model, frozen=True, kw_only=True):
    """The copy of a version near the GPUs: its state, and while it is fetched how much is there.

    `folder` is the read-only folder of a cached version, as this caller's processes find it.
    """

    state: Open[CacheState]
    done: int = 0
    size: int = 0
    folder: str = ""


class Version(Model, frozen=True, kw_only=True):
    """One version of a dataset.

    `files` and `size` (in bytes) count what it contains, `added` the bytes that its commit sent to
    the lake. `source` names the session or snapshot that produced it, as `session:ID` or
    `snapshot:ID`. `copy` is None where the version is not cached.
    """

    dataset: str
    id: str
    parents: tuple[str, ...] = ()
    message: str = ""
    author: str = ""
    time: datetime
    files: int = 0
    size: int = 0
    added: int = 0
    tags: tuple[str, ...] = ()
    source: str = ""
    copy: VersionCopy | None = None


class VersionReport(Request, frozen=True, kw_only=True):
    """What a process reports that has added a version to a lake.

    `manifest` is the compressed manifest; it is needed where the controller does not read the lake
    itself. `tags` are all tags of the version.
    """

    parents: tuple[str, ...] = ()
    message: str = ""
    author: str = ""
    time: datetime
    files: int = 0
    size: int = 0
    added: int = 0
    tags: tuple[str, ...] = ()
    source: str = ""
    manifest: bytes = b""


class TagRequest(Request, frozen=True, kw_only=True):
    """The version that a tag shall name: `latest`, another tag, or the beginning of an id."""

    version: str = LATEST
