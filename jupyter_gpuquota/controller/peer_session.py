"""Find the session in which a client of the controller's socket runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_MARK = b"GPUQUOTA_SESSION="


def session_of(pid: int) -> str:
    """Return the id of the session in which a process runs, empty for none.

    The id is in the environment of the process or of an ancestor. This prevents mistakes, not
    attacks: a process of the same account can hide its origin.
    """
    return next((found for each in _ancestry(pid) if (found := _marked(each))), "")


def _ancestry(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    """Return the parent of a process, 0 for one that has ended; see proc(5)."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _marked(pid: int) -> str:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""  # it has ended, or belongs to another account
    found = (each.removeprefix(_MARK) for each in variables if each.startswith(_MARK))
    return next(found, b"").decode(errors="replace")
