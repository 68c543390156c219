"""Connections to a port of a pod, through the API server.

Each one is a WebSocket of its own in the protocol `v4.channel.k8s.io`, which every kubelet speaks:
channel 0 carries the data and channel 1 an error, each after two bytes with the port. It has no
half-close, so a connection ends as soon as one side closes it. The API server's proxy of pods and
Services is not used: it cuts prefixes off and drops the query of upgrades.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine

from ..api import Api, Fault, Socket
from ..objects.pods import Pod
from ..session_pods import pod_path

_log = logging.getLogger(__name__)

PROTOCOL = "v4.channel.k8s.io"
BLOCK = 64 * 1024
"""Most bytes of one message, and of what is buffered in a direction."""

_DATA, _ERROR = 0, 1
_PORT_BYTES = 2


class PodConnection:
    """A connection to a port of a pod."""

    def __init__(self, socket: Socket, pod: str = "") -> None:
        self._socket = socket
        self.pod = pod
        """The uid of the pod."""
        self._preface = {_DATA: _PORT_BYTES, _ERROR: _PORT_BYTES}
        self.error = ""
        """Why the pod refused the connection or broke it off; empty if it did not say."""

    @classmethod
    async def open(cls, api: Api, pod: Pod, port: int) -> PodConnection:
        """Connect. A port without a listener shows only when it is read from. Raises Fault."""
        path = pod_path(pod, "portforward")
        socket = await api.websocket(path, [("ports", str(port))], [PROTOCOL])
        return cls(socket, pod.metadata.uid)

    async def write(self, data: bytes) -> None:
        """Send data; returns when there is room for more. Raises Fault if it is closed."""
        await self._socket.send(bytes([_DATA]) + data)

    async def read(self) -> bytes:
        """Return the next data, empty once the connection is closed."""
        while (message := await self._socket.receive()) is not None:
            data = self._without_preface(message)
            if message[:1] == bytes([_DATA]) and data:
                return data
            if message[:1] == bytes([_ERROR]) and data:
                self.error += data.decode(errors="replace")
                return b""
        return b""

    async def close(self) -> None:
        """Close the connection."""
        await self._socket.close()

    def _without_preface(self, message: bytes) -> bytes:
        """Return what a message carries; the first two bytes of a channel are its port."""
        channel, data = message[:1], message[1:]
        left = self._preface.get(channel[0], 0) if channel else 0
        if left:
            self._preface[channel[0]] = max(0, left - len(data))
        return data[left:]


Open = Callable[[], Awaitable[PodConnection]]
Gone = Callable[[PodConnection], Coroutine[None, None, None]]


async def forward(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connect: Open, gone: Gone
) -> None:
    """Copy between a local connection and a new one to a pod until one side closes.

    `gone` waits until the pod is gone: the API server does not always close its connections then.
    """
    try:
        pod = await connect()
    except (Fault, OSError) as error:
        _log.warning("A port-forward was refused: %s", error)
        writer.close()
        return
    directions = (_upload(reader, pod), _download(pod, writer), gone(pod))
    copies = [asyncio.create_task(direction) for direction in directions]
    try:
        await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for copy in copies:
            copy.cancel()
        await asyncio.gather(*copies, return_exceptions=True)
        await pod.close()
        writer.close()
    if pod.error:
        _log.info("A port-forward was closed: %s", pod.error)


async def _upload(reader: asyncio.StreamReader, pod: PodConnection) -> None:
    try:
        while data := await reader.read(BLOCK):
            await pod.write(data)
    except (Fault, OSError) as error:
        _log.debug("sending to a pod ended: %s", error)


async def _download(pod: PodConnection, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await pod.read():
            writer.write(data)
            await writer.drain()
    except OSError as error:
        _log.debug("receiving from a pod ended: %s", error)
