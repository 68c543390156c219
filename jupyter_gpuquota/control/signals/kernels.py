"""When a user last ran code in a kernel.

A Jupyter Server updates a kernel's `last_activity` also for messages that a widget or thread sends
by itself. So once it changes, we listen to the kernel: if it changes again without any code being
run, no user was active. A kernel whose `last_activity` does not change needs no listener, and a
listener would even change it: a kernel welcomes new listeners, which its server takes for activity.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from ...core.idle.decide import Reading
from ..clock import Clock
from .servers import Kernel

_AT_REST = frozenset({"idle", "dead"})
_STARTS = timedelta(minutes=10)
"""Maximum time for a kernel to start."""


class Listener(Protocol):
    """Listens to one kernel for code that it runs."""

    def poll(self) -> tuple[bool, datetime | None]:
        """Return whether nothing was missed since the last call, and when code was run."""


class Listeners(Protocol):
    """The listeners of kernels, by session and id."""

    def get(self, kernel: tuple[str, str]) -> Listener | None:
        """Return the listener of a kernel, None if it has none."""


class Kernels:
    """The known state of each kernel of one session's run."""

    def __init__(self, session: str, listeners: Listeners) -> None:
        self._session = session
        self._listeners = listeners
        self._moved: dict[str, datetime] = {}
        self._used: dict[str, datetime] = {}

    @property
    def names(self) -> list[tuple[str, str]]:
        """The kernels, by session and id."""
        return [(self._session, kernel) for kernel in self._moved]

    def update(self, kernels: Sequence[Kernel]) -> list[str]:
        """Take the server's list of kernels; return those to listen to."""
        wanted = []
        for kernel in kernels:
            before = self._moved.get(kernel.id)
            moved = before != kernel.last_activity
            heard = self._poll(kernel.id)
            if before is None:
                self._used[kernel.id] = kernel.last_activity
            elif heard is None and moved:
                self._used[kernel.id] = kernel.last_activity  # the cause of the change is unknown
            elif heard and heard[0]:
                self._used[kernel.id] = max(self._used[kernel.id], heard[0])
            if before is not None and moved:
                wanted.append(kernel.id)
        self._moved = {kernel.id: kernel.last_activity for kernel in kernels}
        self._used = {kernel: self._used[kernel] for kernel in self._moved}
        return wanted

    def reading(
        self, kernels: Sequence[Kernel], clock: Clock, behind: timedelta = timedelta()
    ) -> Reading:
        """Return the signal of the listed kernels; the server's clock is `behind` ours."""
        if not kernels:
            return Reading("kernels", "idle", detail="No running kernels.")
        busy = [kernel for kernel in kernels if not _rests(kernel, behind)]
        if busy:
            state = busy[0].execution_state or "unknown"
            return Reading("kernels", "busy", detail=f"{_count(len(busy))} {state}.")
        asks = any(kernel.waits_for_input for kernel in kernels)
        return Reading(
            "kernels",
            "idle",
            last=clock.at(max(self._used.values()) + behind),
            claimed=clock.at(max(self._moved.values()) + behind),
            detail="A cell waits for input." if asks else f"{_count(len(kernels))} idle.",
        )

    def _poll(self, kernel: str) -> tuple[datetime | None] | None:
        """Return when code was run since the last reading; None if unknown."""
        listener = self._listeners.get((self._session, kernel))
        if listener is None:
            return None
        whole, last = listener.poll()
        return (last,) if whole else None


def _rests(kernel: Kernel, behind: timedelta) -> bool:
    """Return whether a kernel runs no code, or code that waits for a person.

    A kernel without any connection is reported as starting for ever.
    """
    if kernel.execution_state == "starting":
        return datetime.now(UTC) - kernel.last_activity - behind > _STARTS
    return kernel.waits_for_input or kernel.execution_state in _AT_REST


def _count(kernels: int) -> str:
    return "One kernel is" if kernels == 1 else f"{kernels} kernels are"
