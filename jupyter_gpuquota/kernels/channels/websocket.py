"""The channels of a kernel elsewhere: one websocket to the Jupyter Server of its session.

The subprotocol is that of https://jupyter-server.readthedocs.io/en/latest/developers/websocket-protocols.html.
The token goes into a header, never into the URL.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import suppress
from itertools import pairwise
from typing import Any, cast
from urllib.parse import quote, urlencode
from uuid import uuid4

import zmq
from websocket import ABNF, WebSocket, WebSocketException

from ...errors import Unavailable
from ...model.sessions import Endpoint
from ..messages import Channel, Message
from ..session_server import open_connection
from .port import ChannelsLost, Conversation

SUBPROTOCOL = "v1.kernel.websocket.jupyter.org"
RELAY = "gpuquota_relay"
"""The argument by which a session's server knows a relay, and how many messages have arrived."""
_PROTOCOLS = "Sec-WebSocket-Protocol"

_PING = 10.0
_SILENT = 3.5 * _PING
"""Seconds between two signs of life, and after which a connection is dead. No kernel sees them."""
_CONNECTS = 20.0
_CONFIRMS = b""
"""Stands for a ping among what is to be sent. It is also sent after so many bytes:"""
_OFTEN, _PER_MESSAGE = 2**20, 1024
_WORD = 8


class WebSocketChannels:
    """The channels of a kernel at an endpoint.

    A server keeps what a kernel sends while nobody with the same `conversation` is connected, and
    sends it afterwards, with what was under way when the connection broke. A ping says how many
    messages have arrived. Raises Unavailable if nothing answers.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        kernel: str,
        conversation: Conversation,
        context: zmq.Context[Any] | None = None,
    ) -> None:
        context = context or zmq.Context.instance()
        self._socket = _open(endpoint, kernel, conversation)
        self._received = queue.SimpleQueue[Message | None]()
        self._to_send = queue.SimpleQueue[bytes | None]()
        self._conversation = conversation
        self._idents = conversation.idents
        self._heard = time.monotonic()
        self._ended = False
        self._unconfirmed = 0
        self._bell, self._ring = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        self._ring.sndhwm = self._bell.rcvhwm = 0
        address = f"inproc://websocket-{uuid4().hex}"  # a closed one is free again only later
        self._bell.bind(address)
        self._ring.connect(address)
        self._threads = [
            threading.Thread(target=run, name=f"websocket-{run.__name__}", daemon=True)
            for run in (self._read, self._write)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a poller waits for."""
        return [self._bell]

    def send(self, message: Message) -> None:
        """Send a message."""
        if message.idents and message.channel != "stdin":
            self._idents[message.id] = message.idents
        self._to_send.put(encode(message))

    def receive(self) -> Message | None:
        """Return the next message, None if there is none yet. Raises ChannelsLost."""
        with suppress(zmq.Again):
            self._bell.recv(zmq.NOBLOCK)
        try:
            message = self._received.get_nowait()
        except queue.Empty:
            return None
        if message is None:
            raise ChannelsLost
        self._conversation.arrived += 1
        self._unconfirmed += len(message.content) + _PER_MESSAGE
        if self._unconfirmed > _OFTEN:
            self._unconfirmed = 0
            self._to_send.put(_CONFIRMS)
        if message.channel == "stdin":
            message.idents = self._idents.get(message.parent_id, [])
        elif message.channel != "iopub":
            message.idents = self._idents.pop(message.parent_id, [])
        return message

    def close(self) -> None:
        """Close the connection; what was sent still leaves, if that is possible at once."""
        self._to_send.put(None)
        self._threads[1].join(1.0)
        self._hang_up()
        for thread in self._threads:
            thread.join(1.0)
        self._bell.close()
        if not self._threads[0].is_alive():
            self._ring.close()
            self._socket.shutdown()  # type: ignore[no-untyped-call]

    def _read(self) -> None:
        with suppress(OSError, WebSocketException, ValueError):
            while True:
                kind, data = self._socket.recv_data(control_frame=True)
                self._heard = time.monotonic()
                if kind == ABNF.OPCODE_BINARY:
                    self._received.put(decode(data))
                    self._ring.send(b"")
                elif kind == ABNF.OPCODE_CLOSE:
                    break
        self._ended = True
        self._received.put(None)
        self._ring.send(b"")
        self._to_send.put(None)

    def _write(self) -> None:
        with suppress(OSError, WebSocketException):
            while not self._ended:
                try:
                    data = self._to_send.get(timeout=_PING)
                except queue.Empty:
                    if time.monotonic() - self._heard > _SILENT:
                        break
                    data = _CONFIRMS
                if data is None:
                    return
                if data == _CONFIRMS:
                    self._socket.ping(str(self._conversation.arrived))
                else:
                    self._socket.send_binary(data)
        self._hang_up()

    def _hang_up(self) -> None:
        """End the connection now; the thread that reads from it ends with it."""
        with suppress(OSError, AttributeError):
            cast("socket.socket", self._socket.sock).shutdown(socket.SHUT_RDWR)


def encode(message: Message) -> bytes:
    """Return a message as it travels."""
    parts = (
        message.channel.encode(),
        message.header,
        message.parent,
        message.metadata,
        message.content,
        *message.buffers,
    )
    numbers = [len(parts) + 1, _WORD * (len(parts) + 2)]
    for part in parts:
        numbers.append(numbers[-1] + len(part))
    return b"".join((*(n.to_bytes(_WORD, "little") for n in numbers), *parts))


def decode(data: bytes) -> Message:
    """Return a message that came. Raises ValueError for anything else."""
    many = int.from_bytes(data[:_WORD], "little")
    if not 6 <= many <= len(data) // _WORD:
        raise ValueError("not a message")
    at = [int.from_bytes(data[_WORD * n : _WORD * (n + 1)], "little") for n in range(1, many + 1)]
    channel, *parts = (data[begin:end] for begin, end in pairwise(at))
    name = cast("Channel", channel.decode())
    return Message(name, parts[0], parts[1], parts[2], parts[3], list(parts[4:]))


def _open(endpoint: Endpoint, kernel: str, conversation: Conversation) -> WebSocket:
    scheme = "wss" if endpoint.scheme == "https" else "ws"
    query = urlencode({"session_id": conversation.id, RELAY: conversation.arrived})
    path = f"{endpoint.base_url.rstrip('/')}/api/kernels/{quote(kernel, safe='')}/channels"
    connection = open_connection(endpoint, _CONNECTS)
    made = WebSocket(enable_multithread=True, skip_utf8_validation=True)
    try:
        connection.connect()
        made.connect(  # type: ignore[no-untyped-call]
            f"{scheme}://{endpoint.authority}{path}?{query}",
            header={**endpoint.headers, _PROTOCOLS: SUBPROTOCOL},
            suppress_origin=True,
            socket=connection.sock,
        )
    except (OSError, WebSocketException) as error:
        connection.close()
        raise Unavailable(
            "The kernel's channels in the session cannot be opened.",
            hint="It may have just ended; see the session's log.",
        ) from error
    if (made.getheaders() or {}).get(_PROTOCOLS.lower()) != SUBPROTOCOL:
        connection.close()
        raise Unavailable(
            "The session's Jupyter Server is too old for kernels of other notebooks.",
            hint="It needs jupyter_server 2 or newer in the session's environment.",
        )
    made.settimeout(None)
    return made
