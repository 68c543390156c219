"""Activity at terminals: Jupyter's own, and those from which users enter a session.

The kernel records the time of a terminal's last input and output, to 8 seconds; w(1) uses it, too.
Reading it does not change it, nor does a page that reconnects or reports its size. A Jupyter Server
counts these as activity, so its times are used only where the kernel's are unavailable.
"""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...control.clock import Clock
from ...control.signals.servers import Terminal
from ...core.idle.decide import Reading
from ...core.idle.work import TerminalTimes
from ..shim import procfs
from ..shim.procfs import Stat
from . import cpu_time
from .cpu_time import ProcessTree, Spent

_PSEUDO = 136
"""The major number of pseudo-terminals."""
_INIT = 1
_LOCAL_MODES = 3
"""The index of the local modes in what tcgetattr returns."""


@dataclass(frozen=True, slots=True)
class TerminalUse:
    """The use of terminals with a program of the session in the foreground.

    `hidden` is whether the times of one are unreadable, `awaited` whether a process outside the
    session waits for the end of a program that runs without a terminal. `clocks` are the numbers of
    those where only input is use.
    """

    used: tuple[datetime, ...] = ()
    hidden: bool = False
    awaited: bool = False
    clocks: frozenset[int] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there is such a terminal."""
        return bool(self.used) or self.hidden


def observe(tree: ProcessTree) -> TerminalUse:
    """Return the use of a session's terminals, and of programs without one.

    A terminal with a program of the session only in the background is not counted.
    """
    numbers = {s.terminal for s in tree.stats.values() if s.terminal and s.group == s.foreground}
    times = {number: found for number in numbers if (found := times_of(number))}
    now = datetime.now(UTC)
    return TerminalUse(
        used=tuple(found.used for found in times.values()),
        hidden=len(times) < len(numbers),
        awaited=any(_waits(starter, stat) for stat, starter in _entered(tree)),
        clocks=frozenset(number for number, found in times.items() if found.is_clock(now)),
    )


def times_of(number: int) -> TerminalTimes | None:
    """Return the times of a terminal; None if it is not accessible."""
    try:
        found = _path(number).stat()
    except OSError:
        return None
    if found.st_rdev != number:
        return None  # it belongs to a container, and does not exist here
    typed, printed = (datetime.fromtimestamp(at, UTC) for at in (found.st_atime, found.st_mtime))
    return TerminalTimes(typed, printed, takes_keys=_takes_keys(number))


def _takes_keys(number: int) -> bool:
    """Return whether a terminal passes single keys to its program; False if it is another's."""
    try:
        terminal = os.open(_path(number), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not termios.tcgetattr(terminal)[_LOCAL_MODES] & termios.ICANON
    except termios.error:
        return False  # it has just been closed
    finally:
        os.close(terminal)


def reading(
    jupyters: Sequence[Terminal], seen: TerminalUse, spent: Spent | None, clock: Clock
) -> Reading:
    """Return the signal of the terminals."""
    if seen.awaited:
        return Reading("terminals", "busy", detail="A program started from outside is running.")
    if not (jupyters or seen.any):
        return Reading("terminals", "idle", detail="No terminal is open.")
    if cpu_time.works(spent):
        return Reading("terminals", "busy", detail="A program in a terminal is working.")
    times = seen.used or [terminal.used for terminal in jupyters]
    if seen.hidden:
        return Reading("terminals", "unknown", detail="A terminal is not accessible.")
    if spent is None or None in times:
        return Reading("terminals", "unknown", detail="The activity of terminals is not known yet.")
    last = clock.at(max(at for at in times if at))
    detail = "No input." if seen.clocks else "No input or output."
    return Reading("terminals", "idle", last=last, detail=detail)


def _path(number: int) -> Path:
    major, minor = os.major(number), os.minor(number)
    if major == _PSEUDO:
        return Path(f"/dev/pts/{minor}")
    return Path("/dev", Path(f"/sys/dev/char/{major}:{minor}").readlink().name)


def _entered(tree: ProcessTree) -> Iterator[tuple[Stat, Stat]]:
    """Yield the programs without a terminal that were started from outside, and their parents."""
    shim = tree.shim.pid if tree.shim else _INIT
    for stat in tree.stats.values():
        inside = stat.parent in tree.stats or stat.parent in (shim, _INIT)
        if not (inside or stat.terminal) and (parent := procfs.read_stat(stat.parent)):
            yield stat, parent


def _waits(parent: Stat, stat: Stat) -> bool:
    """Return whether the parent of a program has started it, and waits for it.

    The parent of an orphan is the process that adopts orphans: it is in another kernel session, and
    does not read the program's output.
    """
    return parent.session == stat.session or _reads(parent.pid, stat.pid)


def _reads(parent: int, pid: int) -> bool:
    """Return whether a process holds the pipe that another process writes to."""
    with suppress(OSError):
        pipe = Path(f"/proc/{pid}/fd/1").readlink()
        return pipe.name.startswith("pipe:") and pipe in _held(parent)
    return False


def _held(pid: int) -> Iterator[Path]:
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it has just been closed
            yield entry.readlink()
