"""Find the processes of many sessions in one pass over /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..folders.folders import Leader
from ..shim import membership, procfs
from ..shim.procfs import Stat

TICKS = os.sysconf("SC_CLK_TCK")
_SETTLED = TICKS
"""Age in clock ticks after which a new process runs its own program, no longer its parent's."""


@dataclass(frozen=True, slots=True)
class ProcessTree:
    """A session's processes, and the shim that adopts those whose parents have ended.

    `leads` is whether the session's first process is alive.
    """

    stats: Mapping[int, Stat] = field(default_factory=dict)
    shim: Stat | None = None
    leads: bool = False


class ProcessTrees:
    """Remembers the mark of each process, so that it is read only once."""

    def __init__(self) -> None:
        self._marks: dict[tuple[int, int], str] = {}

    def find(self, leaders: Mapping[str, Leader]) -> dict[str, ProcessTree]:
        """Return the living processes of sessions, found by their leaders and shims."""
        stats = {stat.pid: stat for stat in procfs.running()}
        boot = procfs.boot_id()
        here = {session: leader for session, leader in leaders.items() if leader.boot == boot}
        leading = {
            leader.pid: session
            for session, leader in here.items()
            if leader.pid in stats and stats[leader.pid].ticks == leader.ticks
        }
        shims = {
            leader.shim: session
            for session, leader in here.items()
            if membership.shim_folder(leader.shim).endswith(f"/{session}")
        }
        marks = self._read_marks(stats)
        owners = membership.owners(stats, membership.Roots(leading, shims), marks.__getitem__)
        members: dict[str, dict[int, Stat]] = {session: {} for session in leaders}
        for pid, owner in owners.items():
            if owner in members:
                members[owner][pid] = stats[pid]
        alive = set(leading.values())
        return {
            session: ProcessTree(members[session], stats.get(leader.shim), session in alive)
            for session, leader in leaders.items()
        }

    def _read_marks(self, stats: Mapping[int, Stat]) -> dict[int, str]:
        """Read the marks of processes; those of new processes may still change."""
        settled = time.clock_gettime(time.CLOCK_BOOTTIME) * TICKS - _SETTLED
        known, found = {}, {}
        for pid, stat in stats.items():
            key = (pid, stat.ticks)
            mark = self._marks.get(key)
            if mark is None:
                mark = procfs.mark_of(pid)
            if stat.ticks < settled:
                known[key] = mark
            found[pid] = mark
        self._marks = known
        return found


def words_of(pid: int) -> bytes:
    """Return the command line of a process, each word terminated by a zero byte."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended
