"""A disk that runs full."""

from __future__ import annotations

import errno
from pathlib import Path


def fill(path: Path, leave: int) -> None:
    """Fill the disk that a file is on, but for some bytes."""
    size = 65_536
    with path.open("ab", buffering=0) as file:
        while size:
            try:
                file.write(b"x" * size)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2
        file.truncate(max(0, file.tell() - leave))
