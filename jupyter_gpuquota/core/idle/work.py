"""What is work, and what only looks like it; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...model.idleness import SignalState
from .decide import Reading

FIRST = "First measurement; the next one allows a comparison."

_HEARTBEATS = 1_000
"""Bytes per second that idle connections to others move by themselves."""
_POLLING = 20_000
"""Bytes per second that some open pages send to a session by themselves."""

_UNATTENDED = timedelta(days=1)
"""How long a terminal is in use by what its program does, after something was last typed."""

_POSITION = re.compile(r"\x1b\[[0-9;]*[Hf]")
"""What moves a terminal's cursor to a place (ECMA-48: CUP, HVP)."""
_FRAME = timedelta(seconds=1)
"""How long a program takes to draw its screen, in several parts."""

_STEP = 1000
_UNITS = ("B/s", "kB/s", "MB/s", "GB/s")


@dataclass(frozen=True, slots=True)
class TerminalTimes:
    """When something was last typed into a terminal, and printed to it.

    Where it takes single keys (raw, termios(3)), its program waits for a person: a monitor, an
    editor, a shell's prompt. What that prints by itself is a clock. A program that prints lines
    may be a script, and is a clock, too, once nobody has typed for a day.
    """

    typed: datetime
    printed: datetime
    takes_keys: bool = False

    @property
    def used(self) -> datetime:
        """The time of its last use."""
        if self.takes_keys:
            return self.typed
        return max(self.typed, min(self.printed, self.typed + _UNATTENDED))

    def is_clock(self, now: datetime) -> bool:
        """Return whether what its program does by itself is no use."""
        return self.takes_keys or now - self.typed > _UNATTENDED


@dataclass(slots=True)
class Screen:
    """A terminal of which only what it shows is known.

    A program that moves the cursor to a place redraws its screen: a monitor, an editor.
    """

    typed: datetime
    _drawn: datetime | None = None

    def show(self, text: str, now: datetime) -> datetime:
        """Return the time of its last use, as it shows a text."""
        if _POSITION.search(text):
            self._drawn = now
        redraws = self._drawn is not None and now - self._drawn < _FRAME
        return TerminalTimes(self.typed, now, takes_keys=redraws).used


def cpu(percent: float | None, busy: int) -> Reading:
    """Return the signal of the CPU; above `busy` per cent of a core is work."""
    if percent is None:
        return Reading("cpu", "unknown", detail=FIRST)
    detail = f"{percent:.1f} % of a core (idle up to {busy} %)."
    return Reading("cpu", _state(percent, busy), detail=detail)


def io(rate: float | None, busy: int, but: str = "") -> Reading:
    """Return the signal of disks and network; more than `busy` bytes per second are work.

    `but` says what was not measured.
    """
    if rate is None:
        return Reading("io", "unknown", detail=FIRST)
    detail = f"{rate_text(rate)} (idle up to {rate_text(busy)}).{but and f' {but}'}"
    return Reading("io", _state(rate, busy), detail=detail)


def moved(disks: float = 0, opened: float = 0, accepted: float = 0) -> float:
    """Return the bytes per second that count as work.

    `disks` are those from and to disks, `opened` those of connections that programs have opened, in
    both directions; `accepted` those that were received by connections from elsewhere.
    """
    return disks + max(0.0, opened - _HEARTBEATS) + max(0.0, accepted - _POLLING)


def wanted(ran: float, waited: float, span: float) -> float:
    """Return the share of a core that a thread would have used if it had not waited for one.

    All are seconds: of `span`, a thread `ran` and `waited` for a processor, and slept the rest.
    """
    return ran / max(span - waited, ran) if ran else 0.0


def rate_text(rate: float) -> str:
    """Write bytes per second: `820 B/s`, `1.3 MB/s`."""
    for unit in _UNITS[:-1]:
        if rate < _STEP:
            return f"{rate:.3g} {unit}"
        rate /= _STEP
    return f"{rate:.3g} {_UNITS[-1]}"


def _state(measured: float, busy: int) -> SignalState:
    return "busy" if measured > busy else "idle"
