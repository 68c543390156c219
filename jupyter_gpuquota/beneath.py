"""Files below a folder, by paths that others have written."""

from __future__ import annotations

import os
from pathlib import Path

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_beneath(folder: Path, path: str) -> int:
    """Return a descriptor for reading what a relative path names below a folder.

    No part of the path is followed as a link, not even one that appears meanwhile, so nothing
    outside the folder is opened. A pipe does not block. Raises OSError, also for other paths.
    """
    parts = path.split("/")
    if {"", ".", ".."}.intersection(parts) or "\0" in path:
        raise PermissionError(1, "the path leaves its folder", path)
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, _READ | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = below
        return os.open(parts[-1], _READ | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)
