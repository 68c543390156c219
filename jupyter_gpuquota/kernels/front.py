"""The sockets of a kernel as its clients see them: the relay's own."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any
from uuid import uuid4

import zmq

from .connection_file import Connection
from .guard import Guard
from .messages import Channel, Message, Signer, arrived

_SUBSCRIBED = b"\x01"


class Front:
    """The five sockets of a connection file, bound, with clients on the other side.

    Raises zmq.ZMQError if a port is taken.
    """

    def __init__(self, connection: Connection) -> None:
        self._signer = Signer(connection.key, connection.signature_scheme)
        self._connection = connection
        self._context = zmq.Context[Any]()
        self._guard = Guard(connection, self._context)
        self.session = uuid4().hex
        self._sockets: dict[Channel, zmq.Socket[Any]] = {
            "control": self._bound(zmq.ROUTER, connection.control_port),
            "shell": self._bound(zmq.ROUTER, connection.shell_port),
            "stdin": self._bound(zmq.ROUTER, connection.stdin_port),
            "iopub": self._bound(zmq.XPUB, connection.iopub_port),
        }
        self._heartbeat = self._bound(zmq.ROUTER, connection.hb_port)
        self._order = tuple(self._sockets.items())

    @property
    def sockets(self) -> list[zmq.Socket[Any]]:
        """What a poller waits for; then read the `requests` of those that are ready."""
        return [*self._sockets.values(), self._heartbeat]

    def requests(self, ready: Container[object]) -> Iterator[Message]:
        """Iterate over what clients have sent; answer their heartbeats and subscriptions."""
        if self._heartbeat in ready:
            for frames in arrived(self._heartbeat):
                self._heartbeat.send_multipart(frames)
        for channel, socket in self._order:
            for frames in arrived(socket) if socket in ready else ():
                if channel == "iopub":
                    self._welcome(frames[0])
                elif message := self._signer.read(channel, frames):
                    yield message

    def forward(self, message: Message) -> None:
        """Send a message to its client, or on iopub to all."""
        self._sockets[message.channel].send_multipart(self._signer.frames(message))

    def reply(self, request: Message, content: object, kind: str = "") -> None:
        """Answer a request ourselves."""
        kind = kind or request.kind.replace("_request", "_reply")
        answer = Message.new(
            request.channel, kind, content, session=self.session, parent=request.header
        )
        answer.idents = request.idents
        self.forward(answer)

    def publish(self, kind: str, content: object, parent: Message | None = None) -> None:
        """Publish a message of our own, as an answer to a request if there is one."""
        about = parent.header if parent else b"{}"
        message = Message.new("iopub", kind, content, session=self.session, parent=about)
        message.idents = [f"kernel.{self.session}.{kind}".encode()]
        self.forward(message)

    def status(self, state: str, parent: Message | None = None) -> None:
        """Publish that the kernel is `busy`, `idle`, or `starting`."""
        self.publish("status", {"execution_state": state}, parent)

    def close(self) -> None:
        """Close the sockets; what was sent still leaves."""
        for socket in self.sockets:
            socket.close()
        self._context.term()

    def _welcome(self, frame: bytes) -> None:
        """Welcome a new subscriber, as in Jupyter Enhancement Proposal 65."""
        if frame.startswith(_SUBSCRIBED):
            topic = frame[1:]
            said = {"subscription": topic.decode(errors="replace")}
            message = Message.new("iopub", "iopub_welcome", said, session=self.session)
            message.idents = [topic] if topic else [b"iopub_welcome"]
            self.forward(message)

    def _bound(self, kind: int, port: int) -> zmq.Socket[Any]:
        socket: zmq.Socket[Any] = self._context.socket(kind)
        socket.linger = 1000
        socket.rcvhwm = socket.sndhwm = 0  # nothing may be dropped, however slow a client is
        self._connection.encrypt(socket, server=True)
        self._guard.protect(socket)
        socket.bind(self._connection.address(port))
        return socket
