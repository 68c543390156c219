"""What a session's processes spend of the CPU between two looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.idleness import Reading
from ...model.idleness import SignalState
from ..shim.procfs import Stat
from .families import TICKS, Family

_TOUCH = 0.1
"""Per cent of a core from which on a terminal's program counts as doing something."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Be what was spent in `span` seconds, in per cent of one core; `programs` by terminals'."""

    percent: float
    programs: float


@dataclass(slots=True)
class Spending:
    """Remember what a session's processes had spent at the last look."""

    _at: float = 0.0
    _before: dict[tuple[int, int], Stat] | None = field(default=None)
    _shim: int = 0

    def look(self, family: Family, at: float) -> Spent | None:
        """Say what was spent since the last look; None at the first. `at` is in seconds."""
        before, span = self._before, at - self._at
        reaped = family.shim.reaped if family.shim else 0
        by_shim, self._shim = reaped - self._shim, reaped
        self._at = at
        self._before = {(s.pid, s.ticks): s for s in family.stats.values()}
        if before is None or span <= 0:
            return None
        ticks = spent_by(before, family.stats, max(0, by_shim))
        share = 100 / TICKS / span
        programs = sum(_gained(stat, before) for stat in programs_of(family.stats))
        return Spent(ticks * share, programs * share)


def spent_by(before: Mapping[tuple[int, int], Stat], now: Mapping[int, Stat], by_shim: int) -> int:
    """Say how many clock ticks were spent, by those that have ended meanwhile included.

    What a process had spent before moves, when it has ended, to whoever reaps it: it is no news.
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
    """Yield the processes in the foreground of terminals, shells that wait for input excepted.

    Of a terminal from which the session was entered, the first shell is none of the session's.
    """
    groups = {
        stat.foreground
        for stat in stats.values()
        if stat.terminal and stat.foreground != -1 and not _rests(stat, stats)
    }
    return (stat for stat in stats.values() if stat.group in groups)


def _rests(stat: Stat, stats: Mapping[int, Stat]) -> bool:
    """Tell whether a terminal that was opened inside a session shows its first shell's prompt."""
    first = stats.get(stat.session)
    return first is not None and first.parent in stats and stat.foreground == first.group


def cpu(spent: Spent | None, busy: int) -> Reading:
    """Read the signal of the CPU; above `busy` per cent of a core is work."""
    if spent is None:
        return Reading("cpu", "unknown", detail="This is the first look: it has to be compared.")
    state: SignalState = "busy" if spent.percent > busy else "idle"
    return Reading("cpu", state, detail=f"{spent.percent:.1f} % of a core; {busy} % are allowed.")


def works(spent: Spent | None) -> bool:
    """Tell whether a program in a terminal's foreground does something."""
    return spent is not None and spent.programs >= _TOUCH


def _gained(stat: Stat, before: Mapping[tuple[int, int], Stat]) -> int:
    old = before.get((stat.pid, stat.ticks))
    return stat.spent + stat.reaped - (old.spent + old.reaped if old else 0)
