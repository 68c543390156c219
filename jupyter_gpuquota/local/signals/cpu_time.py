"""The CPU time that a session's processes spend between two readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.idle.decide import Reading
from ...model.idleness import SignalState
from ..shim.procfs import Stat
from .process_trees import TICKS, ProcessTree

_TOUCH = 0.1
"""Per cent of a core from which on a program in a terminal counts as working."""


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU time in per cent of one core: of all processes, and of `programs` in terminals."""

    percent: float
    programs: float


@dataclass(slots=True)
class CpuTime:
    """Remembers the CPU time of a session's processes at the last reading."""

    _at: float = 0.0
    _before: dict[tuple[int, int], Stat] | None = field(default=None)
    _shim: int = 0

    def update(self, tree: ProcessTree, at: float) -> Spent | None:
        """Return the CPU time since the last reading; None at the first. `at` is in seconds."""
        before, span = self._before, at - self._at
        reaped = tree.shim.reaped if tree.shim else 0
        by_shim, self._shim = reaped - self._shim, reaped
        self._at = at
        self._before = {(s.pid, s.ticks): s for s in tree.stats.values()}
        if before is None or span <= 0:
            return None
        ticks = spent_by(before, tree.stats, max(0, by_shim))
        share = 100 / TICKS / span
        programs = sum(_gained(stat, before) for stat in programs_of(tree.stats))
        return Spent(ticks * share, programs * share)


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


def programs_of(stats: Mapping[int, Stat]) -> Iterator[Stat]:
    """Yield the processes in the foreground of terminals, except shells that wait for input.

    In a terminal from which the session was entered, the first shell is not the session's.
    """
    groups = {
        stat.foreground
        for stat in stats.values()
        if stat.terminal and stat.foreground != -1 and not _rests(stat, stats)
    }
    return (stat for stat in stats.values() if stat.group in groups)


def _rests(stat: Stat, stats: Mapping[int, Stat]) -> bool:
    """Return whether a terminal opened inside a session shows its first shell's prompt."""
    first = stats.get(stat.session)
    return first is not None and first.parent in stats and stat.foreground == first.group


def cpu(spent: Spent | None, busy: int) -> Reading:
    """Return the signal of the CPU; above `busy` per cent of a core is work."""
    if spent is None:
        return Reading(
            "cpu", "unknown", detail="First measurement; the next one allows a comparison."
        )
    state: SignalState = "busy" if spent.percent > busy else "idle"
    return Reading("cpu", state, detail=f"{spent.percent:.1f} % of a core (idle below {busy} %).")


def works(spent: Spent | None) -> bool:
    """Return whether a program in a terminal's foreground is working."""
    return spent is not None and spent.programs >= _TOUCH


def _gained(stat: Stat, before: Mapping[tuple[int, int], Stat]) -> int:
    old = before.get((stat.pid, stat.ticks))
    return stat.spent + stat.reaped - (old.spent + old.reaped if old else 0)
