"""The CPU time that a session's processes want between two readings.

On a busy machine they get less than they want: a thread that waits for a processor would run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...core.idle.work import wanted
from ..folders.folders import Leader
from ..shim import membership, procfs
from ..shim.procfs import Stat

_RUNS = "R"
_TOUCH = 0.1
"""Per cent of a core from which on a program in a terminal counts as working."""


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU time in per cent of one core: of all processes, and of `programs` in terminals."""

    percent: float
    programs: float


@dataclass(slots=True)
class CpuTime:
    """Remembers the CPU time of a session's processes at the last reading.

    `schedule` reads how long the threads of a process ran and waited.
    """

    schedule: Callable[[Stat], Mapping[int, tuple[float, float]]] = procfs.schedule_of
    _at: float = 0.0
    _before: dict[tuple[int, int], Stat] | None = field(default=None)
    _shim: int = 0
    _threads: dict[int, tuple[float, float]] = field(default_factory=dict)

    def update(
        self, tree: ProcessTree, at: float, clocks: Container[int] = frozenset()
    ) -> Spent | None:
        """Return the CPU time since the last reading; None at the first. `at` is in seconds.

        Programs in terminals that are `clocks` are no `programs`.
        """
        before, span = self._before, at - self._at
        reaped = tree.shim.reaped if tree.shim else 0
        by_shim, self._shim = reaped - self._shim, reaped
        self._at = at
        self._before = {(s.pid, s.ticks): s for s in tree.stats.values()}
        if before is None or span <= 0:
            return None
        ticks = spent_by(before, tree.stats, max(0, by_shim))
        share = 100 / TICKS / span
        programs = sum(_gained(stat, before) for stat in programs_of(tree.stats, clocks))
        missed = 100 * self._missed(tree.stats.values(), before, span)
        return Spent(ticks * share + missed, programs * share)

    def _missed(
        self, stats: Iterable[Stat], before: Mapping[tuple[int, int], Stat], span: float
    ) -> float:
        """Return the share of a core that threads would have used besides what they got.

        Only the threads of processes that did something are read.
        """
        known, self._threads = self._threads, {}
        for stat in stats:
            if stat.state == _RUNS or _gained(stat, before):
                self._threads |= self.schedule(stat)
        spans = (
            (ran - known[thread][0], waited - known[thread][1])
            for thread, (ran, waited) in self._threads.items()
            if thread in known and ran >= known[thread][0]  # else another of the same number
        )
        return sum(wanted(ran, waited, span) - min(1.0, ran / span) for ran, waited in spans)


def spent_by(before: Mapping[tuple[int, int], Stat], now: Mapping[int, Stat], by_shim: int) -> int:
    """Return the clock ticks that were spent, including those of processes that have ended.

    When a process ends, its earlier time moves to the process that reaps it, and is not new.
    """
    own, reaped = 0, by_shim
    left = dict(before)
    for stat in now.values():
        old = left.pop((stat.pid, stat.ticks), None)
        own += stat.spent - (old.spent if old else 0)
        reaped += stat.reaped - (old.reaped if old else 0)
    known = sum(stat.spent + stat.reaped for stat in left.values())
    return own + max(0, reaped - known)


def programs_of(stats: Mapping[int, Stat], clocks: Container[int] = frozenset()) -> Iterator[Stat]:
    """Yield the processes in the foreground of terminals, except shells that wait for input.

    Those in terminals that are `clocks` are left out. In a terminal from which the session was
    entered, the first shell is not the session's.
    """
    groups = {
        stat.foreground
        for stat in stats.values()
        if stat.terminal
        and stat.terminal not in clocks
        and stat.foreground != -1
        and not _rests(stat, stats)
    }
    return (stat for stat in stats.values() if stat.group in groups)


def _rests(stat: Stat, stats: Mapping[int, Stat]) -> bool:
    """Return whether a terminal opened inside a session shows its first shell's prompt."""
    first = stats.get(stat.session)
    return first is not None and first.parent in stats and stat.foreground == first.group


def works(spent: Spent | None) -> bool:
    """Return whether a program in a terminal's foreground is working."""
    return spent is not None and spent.programs >= _TOUCH


def _gained(stat: Stat, before: Mapping[tuple[int, int], Stat]) -> int:
    old = before.get((stat.pid, stat.ticks))
    return stat.spent + stat.reaped - (old.spent + old.reaped if old else 0)


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
