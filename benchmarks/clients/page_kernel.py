"""A kernel as a page has it: over the WebSocket of its Jupyter Server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from websocket import create_connection

from jupyter_gpuquota.kernels.channels.websocket import SUBPROTOCOL, decode, encode
from jupyter_gpuquota.kernels.messages import Message

from ..errors import CouldNotMeasure
from ..measuring.timing import stopwatch
from ..systems.server import Server

_PATIENCE = 120.0


@dataclass(frozen=True)
class Heard:
    """What matters of a message: what it answers, its channel, kind and content."""

    parent: str
    channel: str
    kind: str
    content: dict[str, Any]


class PageKernel:
    """Start a kernel through a server and connect to it, as JupyterLab does.

    `binary` is whether the server speaks the newer subprotocol, which JupyterLab then uses; its
    gateway client does not.
    """

    def __init__(self, server: Server, name: str, *, binary: bool) -> None:
        self._api = server.caller("/api/kernels")
        self._id: str = self._api.post("", {"name": name})["id"]
        self._binary = binary
        self._session = uuid4().hex
        self._socket = create_connection(
            f"ws://127.0.0.1:{server.port}/api/kernels/{self._id}/channels"
            f"?session_id={self._session}",
            header=dict(server.headers),
            subprotocols=[SUBPROTOCOL] if binary else None,
            timeout=_PATIENCE,
        )

    def run(self, code: str, output: int = 0) -> float:
        """Return the seconds from `execute_request` to `idle`.

        Raises CouldNotMeasure unless so many characters of output have come.
        """
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        asked = Message.new("shell", "execute_request", content, session=self._session)
        with stopwatch() as elapsed:
            self._send(asked)
            left, seconds, size = {"shell", "iopub"}, 0.0, 0
            while left:
                heard = self._hear()
                if heard.parent != asked.id:
                    continue
                if heard.kind == "stream":
                    size += len(heard.content["text"])
                elif heard.channel == "shell":
                    left.discard("shell")
                elif heard.content.get("execution_state") == "idle":
                    left.discard("iopub")
                    seconds = elapsed()
        if size != output:
            raise CouldNotMeasure(f"{size} of {output} characters of output came")
        return seconds

    def close(self) -> None:
        """Shut the kernel down."""
        self._socket.close()
        self._api.request("DELETE", f"/{self._id}")
        self._api.close()

    def _send(self, message: Message) -> None:
        if self._binary:
            self._socket.send_binary(encode(message))
            return
        parts = {name: json.loads(getattr(message, name)) for name in ("header", "metadata")}
        parts |= {"content": message.read(), "parent_header": {}, "channel": message.channel}
        self._socket.send(json.dumps({**parts, "buffers": []}))

    def _hear(self) -> Heard:
        data = self._socket.recv()
        if isinstance(data, bytes):
            message = decode(data)
            return Heard(message.parent_id, message.channel, message.kind, message.read())
        found = json.loads(data)
        parent = found["parent_header"].get("msg_id", "")
        return Heard(parent, found["channel"], found["msg_type"], found["content"])
