"""The relay: a kernel to its clients, whose code runs in a kernel of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zmq

from ..errors import GpuQuotaError, Unavailable
from ..model.sessions import Session
from . import replies, waiting
from .attach import AttachedKernel
from .channels.port import ChannelsLost
from .channels.probe import ReadyChannels
from .folder import Folder
from .follower import Attached, Follower, News, Place
from .front import Front
from .messages import Message
from .notebook import Parent
from .pending import Held, Pending
from .specs import MARK

_TICK = 1000
"""Milliseconds between two looks at whether our parent still runs."""
_MANY = 256
"""Messages of the kernel after which those of clients have their turn."""
_SHUTDOWN = 10.0


class Relay:
    """Forwards messages between the clients at the front and the kernel of a session.

    While the session does not run, it answers what it can itself, and cells wait.
    """

    def __init__(self, front: Front, place: Place, parent: Parent) -> None:
        self._front = front
        self._follower = Follower(place)
        self._parent = parent
        self._poller = zmq.Poller()
        for socket in (*front.sockets, self._follower.socket):
            self._poller.register(socket, zmq.POLLIN)
        self._channels: ReadyChannels | None = None
        self._kernel: AttachedKernel | None = None
        self._process = self._place = self._note = ""
        self._folder: Folder | None = None
        self._last: News | None = None
        self._asked: list[Message] = []
        self._held, self._open = Held(front), Pending(front)
        self._goes_on, self._more = True, False
        self._answers: dict[str, Callable[[Message], None]] = {
            "shutdown_request": self._shut_down,
            "interrupt_request": self._interrupt,
        }

    def run(self) -> None:
        """Relay until a client shuts the kernel down, or the process that started us has ended."""
        self._front.status("starting")
        self._follower.look()
        while self._goes_on:
            ready = dict(self._poller.poll(0 if self._more else _TICK))
            for message in self._front.requests(ready):
                self._take(message)
            while news := self._follower.news():
                self._hear(news)
            self._receive()
            if self._parent.is_gone:
                self._end(lambda _: None)
        self._close_channels()
        self._front.close()
        self._follower.close()

    def _take(self, message: Message) -> None:
        """Answer a client's message, or forward it."""
        kind = message.kind
        if message.channel == "control" and kind in self._answers:
            self._answers[kind](message)
        elif self._channels:
            self._forward(message)
        elif kind == "execute_request":
            self._held.add(message)
            self._tell_why()
            self._follower.look(resume=True)
        elif kind == "kernel_info_request" and self._attaches():
            self._asked.append(message)
        elif kind.endswith("_request"):
            self._answer(message)

    def _forward(self, message: Message) -> None:
        assert self._channels  # noqa: S101 (see the caller)
        if message.channel != "stdin":
            self._open.add(message)
        if self._note and message.kind == "execute_request" and not message.read().get("silent"):
            self._front.publish("stream", {"name": "stderr", "text": self._note}, message)
            self._note = ""
        self._channels.send(message)

    def _answer(self, message: Message) -> None:
        """Answer a request that needs no kernel, or has none to ask."""
        self._front.status("busy", message)
        if message.kind == "kernel_info_request":
            self._front.reply(message, replies.kernel_info(self._why()) | self._about())
        else:
            self._front.reply(message, replies.empty(message.kind, message.read()))
        self._front.status("idle", message)

    def _receive(self) -> None:
        """Forward what the kernel has sent."""
        self._more = False
        try:
            for _ in range(_MANY):
                message = self._channels.receive() if self._channels else None
                if message is None:
                    return
                if message.channel in {"shell", "control"}:
                    self._open.answered(message.parent_id)
                    if message.kind == "kernel_info_reply":
                        message = message.with_content(message.read() | self._about())
                self._front.forward(message)
            self._more = True
        except ChannelsLost:
            self._close_channels()
            self._follower.look()

    def _hear(self, news: News) -> None:
        """Act on what is new about the session."""
        self._last = news
        if isinstance(news, Attached):
            self._attach(news)
            return
        if isinstance(news, Session):
            self._see(news)
        elif not isinstance(news, Unavailable):
            self._open.end(waiting.failed(news))
            self._held.end(waiting.failed(news))
        self._tell_why()
        if not self._attaches():
            asked, self._asked = self._asked, []
            for message in asked:
                self._answer(message)

    def _see(self, session: Session) -> None:
        """End cells that a session no longer runs, or never will."""
        self._place = f"{session.spec.project}/{session.spec.name}"
        if session.state not in {"running", "stopping"}:
            self._open.end(waiting.ended(session))
            self._process = ""
        if waiting.has_ended(session):
            self._held.end(waiting.ended(session))

    def _attach(self, news: Attached) -> None:
        self._close_channels()
        if self._process and self._process != news.channels.process:
            self._open.end(waiting.KERNEL_DIED)
        self._kernel, self._channels = news.kernel, news.channels
        self._note = self._note or news.note
        self._folder = news.folder or self._folder
        self._process = news.channels.process
        for socket in news.channels.sockets:
            self._poller.register(socket, zmq.POLLIN)
        self._receive()  # what came while we were away
        while self._more:
            self._receive()
        if not news.busy:
            self._open.end(waiting.UNKNOWN)
            self._front.status("idle")
        asked, self._asked = self._asked, []
        for message in (*asked, *self._held.release()):
            self._take(message)

    def _interrupt(self, message: Message) -> None:
        """Interrupt the kernel's cell, or those that wait for a kernel."""
        if self._channels and self._kernel:
            self._follower.interrupt(self._kernel)
        else:
            self._open.end(waiting.INTERRUPTED)
            self._held.end(waiting.INTERRUPTED)
        self._front.reply(message, {"status": "ok"})

    def _shut_down(self, message: Message) -> None:
        """Restart the kernel, or shut it down; a Jupyter Server that stops leaves it running."""
        content = message.read()
        kernel = self._kernel
        if kernel and content.get("restart"):
            self._end(lambda _: kernel.restart())
        elif content.get("restart") or self._parent.is_stopping:
            self._end(lambda _: None)
        else:
            self._end(lambda place: place.shut_down())
        self._front.reply(message, {"status": "ok", "restart": bool(content.get("restart"))})

    def _end(self, last: Callable[[Place], Any]) -> None:
        self._goes_on = False
        self._follower.finish(last, _SHUTDOWN)

    def _close_channels(self) -> None:
        if self._channels:
            for socket in self._channels.sockets:
                self._poller.unregister(socket)
            self._channels.close()
            self._channels = None

    def _attaches(self) -> bool:
        """Return whether the kernel will be there in a moment, as far as we know."""
        if self._last is None or isinstance(self._last, Attached):
            return True
        return isinstance(self._last, Session) and self._last.state == "running"

    def _about(self) -> dict[str, Any]:
        """Return by what pages know the session, and whether it has the notebook's folder."""
        about: dict[str, Any] = {"session": self._place}
        if self._folder:
            about["folder"] = {"path": self._folder.path, "found": self._folder.found}
        return {MARK: about}

    def _tell_why(self) -> None:
        if self._last:
            self._held.show(self._why())

    def _why(self) -> str:
        """Return what cells wait for."""
        if isinstance(self._last, Session):
            return waiting.waits(self._last)
        if isinstance(self._last, GpuQuotaError):
            return self._last.message
        return ""
