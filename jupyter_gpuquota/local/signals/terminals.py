"""What is done at terminals: Jupyter's own, and those from which people enter a session.

The kernel keeps the times of a terminal's last input and output, to 8 seconds; w(1) goes by them,
too. Looking does not move them, nor does a page that connects again or says how large it is: that
moves what a Jupyter Server takes for activity, which counts only where the kernel tells nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...control.clock import Clock
from ...control.signals.servers import Terminal
from ...core.idleness import Reading
from ..shim import procfs
from ..shim.procfs import Stat
from . import spending
from .families import Family
from .spending import Spent

_PSEUDO = 136
"""The major number of pseudo-terminals."""
_INIT = 1


@dataclass(frozen=True, slots=True)
class Seen:
    """Be what shows at the terminals in whose foreground a session's programs are.

    `hidden` tells whether there is one whose times cannot be read, and `awaited` whether a program
    without a terminal runs whose end somebody outside of the session waits for.
    """

    used: tuple[datetime, ...] = ()
    hidden: bool = False
    awaited: bool = False

    @property
    def any(self) -> bool:
        """Tell whether there is such a terminal."""
        return bool(self.used) or self.hidden


def look(family: Family) -> Seen:
    """Look at a session's terminals, and at what runs in it without one.

    Whoever works on with something else in the terminal in whose background a program of the
    session was left does nothing in the session.
    """
    numbers = {s.terminal for s in family.stats.values() if s.terminal and s.group == s.foreground}
    times = [last_used(number) for number in numbers]
    found = tuple(at for at in times if at)
    awaited = any(_waits(starter, stat) for stat, starter in _entered(family))
    return Seen(found, hidden=len(found) < len(times), awaited=awaited)


def last_used(number: int) -> datetime | None:
    """Tell when something was last typed or printed at a terminal; None if it is out of sight."""
    try:
        found = _path(number).stat()
    except OSError:
        return None
    if found.st_rdev != number:
        return None  # it is one of a container, and there is no such here
    return datetime.fromtimestamp(max(found.st_atime, found.st_mtime), UTC)


def reading(jupyters: Sequence[Terminal], seen: Seen, spent: Spent | None, clock: Clock) -> Reading:
    """Read the signal of the terminals."""
    if seen.awaited:
        return Reading("terminals", "busy", detail="A program runs whose end somebody waits for.")
    if not (jupyters or seen.any):
        return Reading("terminals", "idle", detail="No terminal is open.")
    if spending.works(spent):
        return Reading("terminals", "busy", detail="A program in a terminal is at work.")
    times = seen.used or [terminal.last_activity for terminal in jupyters]
    if seen.hidden:
        return Reading("terminals", "unknown", detail="A terminal cannot be seen from here.")
    if spent is None or None in times:
        return Reading("terminals", "unknown", detail="It cannot be told yet what they do.")
    last = clock.at(max(at for at in times if at))
    return Reading("terminals", "idle", last=last, detail="Nothing is typed or printed.")


def _path(number: int) -> Path:
    major, minor = os.major(number), os.minor(number)
    if major == _PSEUDO:
        return Path(f"/dev/pts/{minor}")
    return Path("/dev", Path(f"/sys/dev/char/{major}:{minor}").readlink().name)


def _entered(family: Family) -> Iterator[tuple[Stat, Stat]]:
    """Yield the programs without a terminal that came from outside, and what is their parent."""
    shim = family.shim.pid if family.shim else _INIT
    for stat in family.stats.values():
        inside = stat.parent in family.stats or stat.parent in (shim, _INIT)
        if not (inside or stat.terminal) and (parent := procfs.read_stat(stat.parent)):
            yield stat, parent


def _waits(parent: Stat, stat: Stat) -> bool:
    """Tell whether the parent of a program has started it, and waits for it.

    The parent of one that was left behind is whoever takes in orphans: a process of another kernel
    session, which does not read what it prints.
    """
    return parent.session == stat.session or _reads(parent.pid, stat.pid)


def _reads(parent: int, pid: int) -> bool:
    """Tell whether a process holds the pipe that another one prints to."""
    with suppress(OSError):
        pipe = Path(f"/proc/{pid}/fd/1").readlink()
        return pipe.name.startswith("pipe:") and pipe in _held(parent)
    return False


def _held(pid: int) -> Iterator[Path]:
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed just now
            yield entry.readlink()
