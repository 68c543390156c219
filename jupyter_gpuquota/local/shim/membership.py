"""Decide which processes belong to which session: by descent, else by their mark.

A process may change its environment, leave its group and get another parent, but its shim, a
subreaper, stays its ancestor. Our own programs (a controller, other shims) may be started from a
session without belonging to it; they are recognised by their program and the lock that they hold.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from . import procfs
else:  # beside the shim, which is run as a program
    import procfs

_SHIM = b"/jupyter_gpuquota/local/shim"
_CONTROLLER = b"jupyter_gpuquota.controller"
_HELD = "FLOCK  ADVISORY  WRITE"


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots of live sessions' process trees: first processes and shims, by pid."""

    leaders: Mapping[int, str] = field(default_factory=dict)
    shims: Mapping[int, str] = field(default_factory=dict)


def roots(sessions: Path) -> Roots:
    """Return the roots of all sessions that have a folder here."""
    leaders, shims = {}, {}
    boot = procfs.boot_id()
    for path in sessions.glob("*/leader.json"):
        with suppress(OSError, ValueError, KeyError):  # it is being removed, or is not ours
            note = json.loads(path.read_bytes())
            if note["boot"] != boot:
                continue
            name, stat = path.parent.name, procfs.read_stat(note["pid"])
            if stat and stat.ticks == note["ticks"]:
                leaders[stat.pid] = name
            if shim_folder(note["shim"]).endswith(f"/{name}"):
                shims[note["shim"]] = name
    return Roots(leaders, shims)


def owners(
    stats: Mapping[int, procfs.Stat], known: Roots, mark: Callable[[int], str]
) -> dict[int, str]:
    """Map processes to their sessions; processes outside any session are left out.

    The nearest ancestor decides that is a session's first process, is in the kernel session of one,
    or is a shim. Without such an ancestor, or with one of our own programs in between, the nearest
    mark decides.
    """
    ours, marked = functools.cache(is_ours), functools.cache(mark)
    found = ((pid, _owner(pid, stats, known, marked, ours)) for pid in stats)
    return {pid: owner for pid, owner in found if owner}


def members(session_id: str, known: Roots) -> set[int]:
    """Return the living processes of a session that may be signalled, except this one."""
    stats = {stat.pid: stat for stat in procfs.running()}
    found = owners(stats, known, procfs.mark_of)
    own = {pid for pid, owner in found.items() if owner == session_id and pid != os.getpid()}
    return {pid for pid in own if _may_signal(pid)}


def shim_folder(pid: int) -> str:
    """Return the session folder of a shim, as text; empty if the process is not a shim."""
    words = procfs.words(pid)
    named = len(words) > 1 and words[-2].endswith(_SHIM)
    return os.fsdecode(words[-1]) if named and _holds(pid, "shim.lock") else ""


def is_ours(pid: int) -> bool:
    """Return whether a process is a controller or a shim."""
    words = procfs.words(pid)
    if _CONTROLLER in words:
        return _holds(pid, "controller.lock")
    return bool(shim_folder(pid))


def _owner(
    pid: int,
    stats: Mapping[int, procfs.Stat],
    known: Roots,
    mark: Callable[[int], str],
    ours: Callable[[int], bool],
) -> str:
    """Return a process's session, empty for none. `ours` is slow and called as little as can be."""
    lineage: list[int] = []
    for stat in _lineage(pid, stats):
        owner = known.leaders.get(stat.pid) or known.leaders.get(stat.session)
        if stat.pid in known.shims:
            owner = known.shims[stat.pid] if stat.pid != pid else ""
        if owner is not None:
            if any(ours(at) for at in lineage):
                break
            return owner
        lineage.append(stat.pid)
    nearest = next((i for i, at in enumerate(lineage) if mark(at)), None)
    if nearest is None or any(ours(at) for at in lineage[: nearest + 1]):
        return ""
    return mark(lineage[nearest])


def _lineage(pid: int, stats: Mapping[int, procfs.Stat]) -> Iterator[procfs.Stat]:
    """Yield a process and its ancestors; a snapshot of /proc may contain a cycle."""
    seen: set[int] = set()
    while pid in stats and pid not in seen:
        seen.add(pid)
        yield stats[pid]
        pid = stats[pid].parent


def _holds(pid: int, name: str) -> bool:
    """Return whether a process holds a file of this name open and locked."""
    with suppress(OSError):  # it has ended, or belongs to another account
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            held = entry.readlink().name.removesuffix(" (deleted)")
            if held == name:
                return _HELD in Path(f"/proc/{pid}/fdinfo/{entry.name}").read_text()
    return False


def _may_signal(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
