"""The sources of notebooks of sessions on this machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from ...control.signals.notebook_sources import Notebook, digest

_LARGEST = 64 * 2**20


def fingerprint(folder: str, path: str) -> str:
    """Return a hash of the sources of a notebook below a folder; empty if it cannot be read."""
    try:
        content = _read(Path(folder).resolve(), path)
        return digest(msgspec.json.decode(content, type=Notebook).cells)
    except (OSError, ValueError, msgspec.DecodeError):
        return ""


def _read(folder: Path, path: str) -> bytes:
    """Read a file that is really inside the folder. Raises OSError, else ValueError."""
    whole = (folder / path.lstrip("/")).resolve(strict=True)
    if not whole.is_relative_to(folder):
        raise ValueError(path)
    # Opening a pipe instead of a file must not block.
    number = os.open(whole, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise ValueError(path)
        return file.read(_LARGEST)
