"""The port to the channels of a kernel."""

from __future__ import annotations

from typing import Any, Protocol

import zmq

from ..messages import Message


class ChannelsLost(Exception):
    """The connection to the kernel ended: it died, was restarted, or cannot be reached."""


class Channels(Protocol):
    """An open connection to all channels of one kernel. For one thread.

    Messages to the kernel go out in order on each channel. `stdin` and the replies on `shell` and
    `control` come back with the `idents` of the request that caused them.
    """

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a `zmq.Poller` waits for; then call `receive` until it returns None."""

    def send(self, message: Message) -> None:
        """Send a message on its channel. Does not block. Raises ChannelsLost."""

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
    if found := channels.receive():
        return found
    poller = zmq.Poller()
    for socket in channels.sockets:
        poller.register(socket, zmq.POLLIN)
    poller.poll(int(max(seconds, 0.0) * 1000))
    return channels.receive()
