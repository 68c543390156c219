"""Find the processes of many sessions in one look at /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..folders import Leader
from ..shim import procfs
from ..shim.procfs import Stat

TICKS = os.sysconf("SC_CLK_TCK")
_SETTLED = TICKS
"""Age in clock ticks from which on a process has become what it is: it runs its own program."""


@dataclass(frozen=True, slots=True)
class Family:
    """Be a session's processes, and the shim that takes in those whose parents have ended.

    `leads` is whether the session's first process lives.
    """

    stats: Mapping[int, Stat] = field(default_factory=dict)
    shim: Stat | None = None
    leads: bool = False


class Families:
    """Remember which process carries which mark: that is read once for each."""

    def __init__(self) -> None:
        self._marks: dict[tuple[int, int], str] = {}

    def find(self, leaders: Mapping[str, Leader]) -> dict[str, Family]:
        """Find the living processes of sessions by their leaders.

        A process belongs to the session whose mark it carries, to that of the leader whose kernel
        session it is in, or else to that of its parent, as in `procfs.members`.
        """
        stats = {stat.pid: stat for stat in procfs.running()}
        boot = procfs.boot_id()
        leading = {
            leader.pid: session
            for session, leader in leaders.items()
            if leader.boot == boot
            and leader.pid in stats
            and stats[leader.pid].ticks == leader.ticks
        }
        marks = self._read_marks(stats)
        owners: dict[int, str] = {}
        for pid in stats:
            _own(pid, stats, marks, leading, owners)
        members: dict[str, dict[int, Stat]] = {session: {} for session in leaders}
        for pid, owner in owners.items():
            if owner in members:
                members[owner][pid] = stats[pid]
        alive = set(leading.values())
        return {
            session: Family(members[session], stats.get(leader.shim), session in alive)
            for session, leader in leaders.items()
        }

    def _read_marks(self, stats: Mapping[int, Stat]) -> dict[int, str]:
        """Read the marks of processes; one that has just begun may be about to change it."""
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
    """Return the words that a process was started with, each ended by a zero byte."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has ended


def _own(
    pid: int,
    stats: Mapping[int, Stat],
    marks: Mapping[int, str],
    leading: Mapping[int, str],
    owners: dict[int, str],
) -> str:
    """Note whose a process is, and whose all its ancestors are; empty for nobody's."""
    line: list[int] = []
    owner = ""
    while pid in stats:
        if pid in owners:
            owner = owners[pid]
            break
        line.append(pid)
        owner = leading.get(pid) or leading.get(stats[pid].session) or marks[pid]
        owners[pid] = owner  # for now; it also ends a line that bites its tail
        if owner:
            break
        pid = stats[pid].parent
    for each in line:
        owners[each] = owners[each] or owner
    return owner
