"""The file systems that are mounted: see proc_pid_mountinfo(5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_FILE = Path("/proc/self/mountinfo")
_POINT = 4
_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mounted file system: where, and its type."""

    point: Path
    kind: str


def mounts() -> list[Mount]:
    """Return what this process sees mounted. Raises OSError."""
    return list(parsed(_FILE.read_text(errors="surrogateescape")))


def parsed(text: str) -> Iterator[Mount]:
    """Yield the mounts that a file of the kernel names."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        yield Mount(Path(_plain(before.split(" ")[_POINT])), after.split(" ")[0])


def mount_of(folder: Path, known: Iterable[Mount]) -> Mount | None:
    """Return the mount that a folder is in: of several at one place, the last hides the others."""
    above = [each for each in known if folder.is_relative_to(each.point)]
    return max(reversed(above), key=lambda each: len(each.point.parts), default=None)


def is_mounted_below(folder: Path, known: Iterable[Mount]) -> bool:
    """Return whether something is mounted inside of a folder."""
    return any(folder in each.point.parents for each in known)


def _plain(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)
