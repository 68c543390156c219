"""When somebody last had a kernel run something.

A Jupyter Server moves a kernel's `last_activity` also for what a widget or a thread sends by
itself. So a kernel whose `last_activity` has moved is listened to from then on: if it moves again
and no code was run, nobody did anything. One that stays as it is does not need to be listened to;
nor would that leave it as it is, since a kernel greets whoever begins to listen, and its server
takes that for activity.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from ...core.idleness import Reading
from ..clock import Clock
from .servers import Kernel

_AT_REST = frozenset({"idle", "dead"})
_STARTS = timedelta(minutes=10)
"""Longest that a kernel may take to start."""


class Listener(Protocol):
    """What hears when one kernel runs code."""

    def hear(self) -> tuple[bool, datetime | None]:
        """Return whether nothing was missed since the last time, and when code was run."""


class Listeners(Protocol):
    """What hears kernels, each named by session and id."""

    def get(self, kernel: tuple[str, str]) -> Listener | None:
        """Return the listener of a kernel; None for one that is not listened to."""


class Kernels:
    """What was known of each kernel of one session's run."""

    def __init__(self, session: str, listeners: Listeners) -> None:
        self._session = session
        self._listeners = listeners
        self._moved: dict[str, datetime] = {}
        self._used: dict[str, datetime] = {}

    @property
    def names(self) -> list[tuple[str, str]]:
        """Name the kernels, by session and id."""
        return [(self._session, kernel) for kernel in self._moved]

    def look(self, kernels: Sequence[Kernel]) -> list[str]:
        """Take in what the server tells; return the kernels that have to be listened to."""
        wanted = []
        for kernel in kernels:
            before = self._moved.get(kernel.id)
            moved = before != kernel.last_activity
            heard = self._hear(kernel.id)
            if before is None:
                self._used[kernel.id] = kernel.last_activity
            elif heard is None and moved:
                self._used[kernel.id] = kernel.last_activity  # it cannot be told what moved it
            elif heard and heard[0]:
                self._used[kernel.id] = max(self._used[kernel.id], heard[0])
            if before is not None and moved:
                wanted.append(kernel.id)
        self._moved = {kernel.id: kernel.last_activity for kernel in kernels}
        self._used = {kernel: self._used[kernel] for kernel in self._moved}
        return wanted

    def reading(self, kernels: Sequence[Kernel], clock: Clock) -> Reading:
        """Read the signal of the kernels that were looked at."""
        if not kernels:
            return Reading("kernels", "idle", detail="No kernel runs.")
        busy = [kernel for kernel in kernels if not _rests(kernel)]
        if busy:
            state = busy[0].execution_state or "unknown"
            return Reading("kernels", "busy", detail=f"{_count(len(busy))} {state}.")
        return Reading(
            "kernels",
            "idle",
            last=clock.at(max(self._used.values())),
            claimed=clock.at(max(self._moved.values())),
            detail=f"{_count(len(kernels))} idle.",
        )

    def _hear(self, kernel: str) -> tuple[datetime | None] | None:
        """Return when code was run since the last look; None if that cannot be told."""
        listener = self._listeners.get((self._session, kernel))
        if listener is None:
            return None
        whole, last = listener.hear()
        return (last,) if whole else None


def _rests(kernel: Kernel) -> bool:
    """Return whether a kernel runs nothing.

    One that nobody ever connects to is said to be starting for ever.
    """
    if kernel.execution_state == "starting":
        return datetime.now(UTC) - kernel.last_activity > _STARTS
    return kernel.execution_state in _AT_REST


def _count(kernels: int) -> str:
    return "One kernel is" if kernels == 1 else f"{kernels} kernels are"
