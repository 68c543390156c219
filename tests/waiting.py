"""How tests wait for what has to come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any

QUIET = 60
"""Seconds after which a test waits in vain, on a machine that does nothing else."""

LONGEST = 4
"""How many times as long a test waits on the busiest machine."""

SOON, LATER = 0.02, 0.2
"""Seconds between two looks at what is waited for: at first, and in the end."""

_PRESSURE = Path("/proc/pressure/cpu")


def patience() -> int:
    """Return after how many seconds from now a test waits in vain.

    A test that is not about time must pass on a busy machine, too: the share of the time in which
    some process waited for a processor, as Linux measures it, stretches it.
    """
    try:
        first = _PRESSURE.read_text(encoding="ascii")
    except OSError:  # not Linux, or a container that hides it
        return QUIET * LONGEST
    return stretched(first)


def stretched(pressure: str) -> int:
    """Return the same for the text of `/proc/pressure/cpu`: `some avg10=12.34 avg60=…`."""
    waited = float(pressure.split("avg10=")[1].split()[0]) / 100
    return round(QUIET * min(LONGEST, 1 / max(1 - waited, 1 / LONGEST)))


def pause_after(waited: float) -> float:
    """Return the seconds until the next look, after so many of waiting.

    To look costs processor time, and others need that for what is waited for.
    """
    return min(max(waited / 5, SOON), LATER)


async def wait_for(
    condition: Callable[[], Any],
    what: str | Callable[[], str] = "it never came true",
    *,
    seconds: float | None = None,
    pause: float | None = None,
) -> Any:
    """Wait until something is true, and return it; a condition may have to be awaited.

    Fails with `what`, or what that returns, if it never is, within `seconds` or our patience.
    """
    begun = asyncio.get_running_loop().time()
    while not (found := await _value(condition())):
        waited = asyncio.get_running_loop().time() - begun
        assert waited < (seconds or patience()), what if isinstance(what, str) else what()
        await asyncio.sleep(pause_after(waited) if pause is None else pause)
    return found


async def _value(found: Any) -> Any:
    return await found if isawaitable(found) else found
