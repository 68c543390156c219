"""The channels of a kernel on this machine: its own sockets, with nothing in between."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import zmq

from ..connection_file import Connection
from ..messages import Channel, Message, Signer, arrived
from .port import ChannelsLost


class DirectChannels:
    """The channels of a kernel whose connection file is known.

    Shell, control and stdin share one identity, so that `input()` finds who runs the cell. A kernel
    that exits closes its sockets, which is seen at once; that it was suspended is not seen.
    """

    def __init__(self, connection: Connection, context: zmq.Context[Any] | None = None) -> None:
        self._signer = Signer(connection.key, connection.signature_scheme)
        self._context = context or zmq.Context.instance()
        identity = uuid4().hex.encode()
        self._sockets: dict[Channel, zmq.Socket[Any]] = {}
        for channel in _ports(connection):
            socket = self._context.socket(zmq.SUB if channel == "iopub" else zmq.DEALER)
            socket.linger = 1000
            socket.rcvhwm = socket.sndhwm = 0  # nothing may be dropped, however slow a client is
            if channel == "iopub":
                socket.subscribe(b"")
            else:
                socket.identity = identity
            connection.encrypt(socket, server=False)
            self._sockets[channel] = socket
        self._ended = self._sockets["shell"].get_monitor_socket(zmq.EVENT_DISCONNECTED)
        for channel, port in _ports(connection).items():
            self._sockets[channel].connect(connection.address(port))
        self._order = tuple(self._sockets.items())

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a poller waits for."""
        return [*self._sockets.values(), self._ended]

    def send(self, message: Message) -> None:
        """Send a message on its channel."""
        frames = self._signer.frames(message)
        self._sockets[message.channel].send_multipart(frames, copy=_is_small(message))

    def receive(self) -> Message | None:
        """Return the next message, None if there is none yet. Raises ChannelsLost."""
        for channel, socket in self._order:
            for frames in arrived(socket):
                if found := self._signer.read(channel, frames):
                    return found
        if self._ended.poll(0):
            self._ended.recv_multipart()
            raise ChannelsLost
        return None

    def close(self) -> None:
        """Close the sockets; what was sent still leaves."""
        self._sockets["shell"].disable_monitor()
        for socket in (*self._sockets.values(), self._ended):
            socket.close()


def _ports(connection: Connection) -> Mapping[Channel, int]:
    """Return the port of each channel; iopub first, as output precedes the reply."""
    return MappingProxyType(
        {
            "iopub": connection.iopub_port,
            "shell": connection.shell_port,
            "control": connection.control_port,
            "stdin": connection.stdin_port,
        }
    )


_SMALL = 65_536


def _is_small(message: Message) -> bool:
    return len(message.content) + sum(map(len, message.buffers)) < _SMALL
