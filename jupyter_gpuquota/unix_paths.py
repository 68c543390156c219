"""Addresses of unix sockets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST = 107
"""Maximum length of a socket's path, in bytes."""


@contextmanager
def short(path: Path) -> Iterator[str]:
    """Yield an address of at most 107 bytes for a path of any length."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
