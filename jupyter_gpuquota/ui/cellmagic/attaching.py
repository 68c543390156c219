"""The kernel of a notebook's cells in a running session, attached again after the network broke."""

from __future__ import annotations

import time

from ...client import Client
from ...errors import Unavailable
from ...kernels import waiting
from ...kernels.cells.notebook import Notebook
from ...kernels.cells.port import Failure
from ...kernels.channels.port import ChannelsLost
from ...kernels.follower import Attached
from ...kernels.place import SessionPlace
from ...model.sessions import Session
from ..console import Console
from .failed import CellFailed, failed

_STARTS = 60.0
"""Seconds for a kernel to start."""
_SOON, _LATER = 0.3, 5.0
"""Seconds between two tries to reach a kernel: at first, and in the end."""


class Attaching:
    """Attaches the kernel of a notebook's cells in one run of a session."""

    def __init__(
        self, client: Client, session: Session, notebook: Notebook, console: Console
    ) -> None:
        self._session = session
        self._console = console
        self._place = SessionPlace(client, session.id, notebook)
        self._process = ""

    def first(self) -> Attached:
        """Return the kernel, which is started if there is none. Raises CellFailed, Unavailable."""
        deadline = time.monotonic() + _STARTS
        while True:
            try:
                return self._attached()
            except ChannelsLost:
                if time.monotonic() > deadline:
                    raise Unavailable(
                        "The kernel in the session does not answer.",
                        hint="See the session's log.",
                    ) from None
                time.sleep(_SOON)

    def again(self) -> Attached:
        """Return the kernel once it can be reached. Raises CellFailed if it has ended."""
        pause = _SOON
        while True:
            try:
                found = self._attached()
            except (ChannelsLost, Unavailable):
                name = self._session.spec.name
                self._console.redraw(f"The connection to {name} is lost: trying again …")
                time.sleep(pause)
                pause = min(pause * 1.5, _LATER)
            else:
                self._console.redraw("")
                return found

    def _attached(self) -> Attached:
        latest = self._place.session(resume=False)
        if latest.state != "running" or latest.run != self._session.run:
            raise _failed(waiting.ended(latest))
        found = self._place.attach(latest)
        process = found.channels.process
        if self._process not in {"", process}:
            found.channels.close()
            raise _failed(waiting.KERNEL_DIED)
        self._process = process
        return found


def _failed(reason: waiting.Failure) -> CellFailed:
    return failed(Failure(reason.name, reason.text))
