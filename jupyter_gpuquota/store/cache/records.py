"""The small files of a cache: replaced as a whole, so that readers never see half of one."""

from __future__ import annotations

import os
import uuid
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from ...model.struct import decoded
from ..disk.files import sync_path
from ..processes import Owner

T = TypeVar("T")

_ATTEMPTS = 5


class Complete(msgspec.Struct, frozen=True):
    """The marker of a published version: its files and bytes, and since when it is there."""

    files: int
    bytes: int
    cached: datetime


class Used(msgspec.Struct, frozen=True):
    """When a session last used a version."""

    used: datetime


class Verified(msgspec.Struct, frozen=True):
    """When a version was last verified, and the paths that are damaged since, as in manifests."""

    verified: datetime
    damaged: tuple[str, ...] = ()


class Fetching(msgspec.Struct, frozen=True, kw_only=True):
    """One running fetch: its job, the process, when it began in nanoseconds, and how far it is.

    `since` is the time of the file system, 0 before it is known.
    """

    job: str
    owner: Owner
    since: int = 0
    size: int = 0
    files: int = 0
    done: int = 0


def write(path: Path, record: msgspec.Struct, *, durable: bool = True) -> None:
    """Replace a small file, or create it with its folder.

    A durable one survives a power failure. Raises OSError.
    """
    body = msgspec.json.encode(record)
    for attempt in range(_ATTEMPTS):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _replace(path, body, durable=durable)
        except FileNotFoundError:
            # Another process has removed the folder, empty, in between.
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def read(path: Path, kind: type[T]) -> T | None:
    """Return a small file's record, None if it does not exist or is malformed."""
    try:
        return decoded(path.read_bytes(), kind)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None


def _replace(path: Path, body: bytes, *, durable: bool) -> None:
    new = path.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        with new.open("xb") as file:
            file.write(body)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        new.replace(path)
        if durable:
            sync_path(path.parent)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
