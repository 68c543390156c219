"""The port to the channels of a kernel."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

import zmq

from ..messages import Message


class ChannelsLost(Exception):
    """The connection to the kernel ended: it died, was restarted, or cannot be reached."""


@dataclass(slots=True)
class Conversation:
    """What one connection to a kernel hands to the next, so that no message is lost.

    `arrived` counts the messages that came, `early` are those of them that nobody has read yet.
    `idents` are those of open requests, by message id.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    arrived: int = 0
    early: deque[Message] = field(default_factory=deque)
    idents: dict[str, list[bytes]] = field(default_factory=dict)


class Channels(Protocol):
    """An open connection to all channels of one kernel. For one thread.

    Messages to the kernel go out in order on each channel. `stdin` and the replies on `shell` and
    `control` come back with the `idents` of the request that caused them.
    """

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a `zmq.Poller` waits for; then call `receive` until it returns None."""

    def send(self, message: Message) -> None:
        """Send a message on its channel. Does not block."""

    def receive(self) -> Message | None:
        """Return the next message from the kernel, None if there is none yet.

        Does not block. Raises ChannelsLost once, after the last message.
        """

    def close(self) -> None:
        """Close the connection; the kernel goes on."""


def wait(channels: Channels, seconds: float) -> Message | None:
    """Return the next message from the kernel; None if none comes in time.

    Raises ChannelsLost.
    """
    deadline = time.monotonic() + seconds
    poller = zmq.Poller()
    for socket in channels.sockets:
        poller.register(socket, zmq.POLLIN)
    while not (found := channels.receive()) and (left := deadline - time.monotonic()) > 0:
        poller.poll(int(left * 1000) + 1)  # it may also end for a message that was read before
    return found
