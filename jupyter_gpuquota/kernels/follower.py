"""A session, followed in a thread: attached whenever it runs, described while it does not."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

import zmq

from ..errors import GpuQuotaError, Internal, Unavailable
from ..model.sessions import Session
from .attach import AttachedKernel
from .channels.port import ChannelsLost
from .channels.probe import ReadyChannels
from .folder import Folder

_SOON, _LATER = 0.3, 5.0
"""Seconds between two looks at a session that is moving: at first, and in the end."""
_LONGEST = {"waiting": _LATER, "starting": 0.5, "running": 0.5, "stopping": _LATER}
"""The same in the end, by its state: one that starts has its kernel in seconds."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A kernel whose channels carry messages; `busy` is whether it runs a cell.

    `folder` is that of its notebook, None for a kernel that had run something before. `note` is
    what its user is told with the next cell.
    """

    kernel: AttachedKernel
    channels: ReadyChannels
    busy: bool
    folder: Folder | None = None
    note: str = ""


News = Session | Attached | GpuQuotaError
Order = Callable[[], None]


class Place(Protocol):
    """A session that is to run, and the kernel of one notebook in it. Blocks."""

    def session(self, *, resume: bool) -> Session:
        """Return the session, launched or resumed where that is asked for."""

    def attach(self, session: Session) -> Attached:
        """Return the kernel in a running session. Raises Unavailable, ChannelsLost."""

    def shut_down(self) -> None:
        """Shut the kernel down, if there is one, and what was launched for it."""


class Follower:
    """Looks at a session until its kernel is attached, and again when asked.

    Nothing is sent while it is attached. A poller waits for `socket`; then call `news`.
    """

    def __init__(self, place: Place, context: zmq.Context[Any] | None = None) -> None:
        context = context or zmq.Context.instance()
        self._place = place
        self._news = queue.SimpleQueue[News]()
        self._orders = queue.SimpleQueue[Order | None]()
        self.socket = context.socket(zmq.PULL)
        self._bell = context.socket(zmq.PUSH)
        address = f"inproc://follower-{uuid4().hex}"
        self.socket.bind(address)
        self._bell.connect(address)
        self._resume = False
        self._longest: float | None = None
        """The longest pause until the next look, None for no other look."""
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self._thread.start()

    def news(self) -> News | None:
        """Return what is new, None if nothing is."""
        with suppress(zmq.Again):
            self.socket.recv(zmq.NOBLOCK)
        with suppress(queue.Empty):
            return self._news.get_nowait()
        return None

    def look(self, *, resume: bool = False) -> None:
        """Look at the session until it is attached or has ended; `resume` a suspended one."""

        def order() -> None:
            self._longest, self._resume = _LATER, resume

        self._orders.put(order)

    def interrupt(self, kernel: AttachedKernel) -> None:
        """Interrupt the kernel."""
        self._orders.put(lambda: kernel.interrupt())

    def finish(self, last: Callable[[Place], None], seconds: float) -> None:
        """Do one last thing and end; give it some time."""
        self._orders.put(lambda: last(self._place))
        self._orders.put(None)
        self._thread.join(seconds)

    def close(self) -> None:
        """Close the sockets of a follower that was finished, and channels that came too late."""
        while news := self.news():
            if isinstance(news, Attached):
                news.channels.close()
        self.socket.close()
        if not self._thread.is_alive():
            self._bell.close()

    def _run(self) -> None:
        pause = _SOON
        while True:
            try:
                order = self._orders.get(timeout=self._longest and min(pause, self._longest))
            except queue.Empty:
                order = self._do_nothing
            else:
                pause = _SOON
            if order is None:
                return
            self._try(order)
            pause *= 1.5

    def _try(self, order: Order) -> None:
        try:
            order()
            if self._longest:
                self._longest = self._look()
        except Unavailable as error:  # it may come back: look again
            self._longest = self._longest and _LATER
            self._tell(error)
        except GpuQuotaError as error:
            self._longest = None
            self._tell(error)
        except Exception as error:  # noqa: BLE001 (the cell must end with it, not wait for ever)
            self._longest = None
            self._tell(Internal(f"The relay failed: {type(error).__name__}: {error}"))

    def _do_nothing(self) -> None:
        """Only look again."""

    def _look(self) -> float | None:
        """Return the longest pause until the next look, None for no other look."""
        session = self._place.session(resume=self._resume)
        self._tell(session)
        longest = _LONGEST.get(session.state)
        if session.state != "running":
            return longest
        self._resume = False
        try:
            self._tell(self._place.attach(session))
        except ChannelsLost:
            return longest  # it has just started or ended
        return None

    def _tell(self, news: News) -> None:
        self._news.put(news)
        self._bell.send(b"")
