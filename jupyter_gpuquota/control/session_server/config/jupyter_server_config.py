"""Configuration of a session's Jupyter Server, which runs in the session's own environment.

Jupyter Server writes the token of its identity provider into its pages. That of a session is empty:
the ingress sends another token, which no page knows.

Jupyter Server drops output of more than 1 MB or 1,000 messages a second, to protect pages. A relay
is not a page: it passes output on to a server with limits of its own. Jupyter Server keeps output
from the moment it sees that a connection is closed; what it wrote to one that was dead, it loses.
It interrupts a kernel before it shuts it down; a relay, which says itself why a cell ended, is not
told of this end.

Terminals are not login shells: a profile would remove the session's environment from PATH.

A kernel that waits for input is busy for Jupyter Server, and a full-screen program that redraws
itself uses its terminal. The lists of kernels and terminals say what they do: `waits_for_input` is
whether a cell asks for input; of a terminal they have the times at which something was typed and
printed, and whether it takes single keys.

Where the server listens on a unix socket, kernels do so, too: on a port of loopback, every account
of the machine may read what a kernel publishes, as ZeroMQ asks nobody who he is. Kernels of which
it is not known that they can are left as they are, encrypted if they declare that they can be.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import termios
from collections import deque
from contextlib import suppress
from datetime import datetime, timezone
from fcntl import ioctl
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from shutil import which
from typing import Any

try:
    from jupyter_server.auth.identity import IdentityProvider, User
    from tornado.web import RequestHandler
except ImportError:  # Jupyter Server 1 has no identity providers, and reads the variables itself
    pass
else:

    def _taken_token() -> str:
        """Take the token, or the name of its file, from what kernels and terminals inherit.

        The file goes first: in a pod, an image may have a token of its own.
        """
        token, file = (os.environ.pop(name, "") for name in ("JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE"))
        return Path(file).read_text() if file else token

    _TOKEN = sys.__dict__.get("_gpuquota_token") or _taken_token()
    sys.__dict__["_gpuquota_token"] = _TOKEN  # this file may be read twice

    class SessionIdentity(IdentityProvider):
        """Authenticates requests with the session's token, which only the ingress has."""

        async def get_user_token(self, handler: RequestHandler) -> User | None:
            """Return a user for a request with the token, None for any other."""
            sent = self.get_token(handler) or ""
            if not _TOKEN or not compare_digest(sent.encode(), _TOKEN.encode()):
                return None
            return self.generate_anonymous_user(handler)

    c.ServerApp.identity_provider_class = SessionIdentity  # type: ignore[name-defined]
    c.SessionIdentity.token = ""  # type: ignore[name-defined]


def _unpacked(part: Any) -> Any:
    return json.loads(bytes(part))


def _ask(kernel: Any, header: Any, parent: Any) -> None:
    """See from a message for a page that a cell asks for input."""
    if header["msg_type"] == "input_request":
        kernel.gpuquota_asks = parent.get("msg_id", "")


_MOST = 64 * 2**20
_PROTOCOL = "v1.kernel.websocket.jupyter.org"
_END_OF_A_CELL = {"error", "execute_reply", "status"}
_LOST = "The connection was lost, and some output with it: check the results.\n"


class Unconfirmed:
    """The messages to a relay of which it is not known that they have arrived, up to 64 MiB."""

    def __init__(self) -> None:
        self.messages: deque[bytes] = deque()
        self.about = b"{}"
        self.lost = False
        self._before = self._size = 0

    def add(self, message: bytes) -> None:
        """Add the next message; the oldest are forgotten if there are too many."""
        self.messages.append(message)
        self._size += len(message)
        while self._size > _MOST and len(self.messages) > 1:
            self._forget()

    def confirm(self, number: bytes) -> None:
        """Forget those that have arrived: the first `number` of all."""
        while self.messages and self._before < int(number or 0):
            self._forget()

    def resume(self, number: str) -> None:
        """Forget those that have arrived, and see whether others were forgotten."""
        self.confirm(number.encode())
        self.lost = self._before != int(number)
        self._before = int(number)

    def _forget(self) -> None:
        self._before += 1
        self._size -= len(self.messages.popleft())


try:
    from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
    from tornado.websocket import WebSocketClosedError
except ImportError:  # Jupyter Server 1
    pass
else:

    def _kind(parts: list[Any]) -> str:
        return str(_unpacked(parts[0])["msg_type"])

    def _is_answer(message: str | bytes) -> bool:
        """Return whether a page's message is for a kernel that asks for input."""
        text = message.encode() if isinstance(message, str) else message
        return b"input_reply" in text

    class SessionConnection(ZMQChannelsWebsocketConnection):
        """A connection to a kernel. That of a relay has no limits, and loses no message.

        A relay names how many messages of its session have arrived when it connects, and from then
        on in its pings. The others are sent again after the connection was lost.
        """

        unconfirmed: Unconfirmed | None = None
        replaced = restored = ended = False

        async def prepare(self) -> None:
            """Take over from a lost connection of the same session, closed or not."""
            arrived = self.websocket_handler.get_query_argument("gpuquota_relay", "")
            if arrived.isdecimal():
                self.limit_rate = False
                self._take_over(arrived)
            await super().prepare()  # type: ignore[no-untyped-call]

        def _take_over(self, arrived: str) -> None:
            key, own = f"{self.kernel_id}:", self.session.session
            known = self.kernel_manager.__dict__.setdefault("gpuquota_relays", {})
            for other in [each for each in known if each != own]:
                if key + other not in self._open_sessions:
                    del known[other]
            self.replaced = own in known
            self.unconfirmed = known.setdefault(own, Unconfirmed())
            self.unconfirmed.resume(arrived)
            stale: Any = self._open_sessions.get(key + own)
            if stale and stale.connection:
                stale.connection.disconnect()
                stale.close()

        def connect(self) -> Any:
            """Connect, and send what has not arrived."""
            if self.unconfirmed is None:
                return super().connect()
            key = f"{self.kernel_id}:{self.session.session}"
            buffers = self.multi_kernel_manager._kernel_buffers  # noqa: SLF001 (reading it ends it)
            kept = buffers.get(self.kernel_id, {})
            self.restored = kept.get("session_key") == key
            lost = self.replaced and not self.restored
            handler: Any = self.websocket_handler
            handler.on_ping = self.unconfirmed.confirm
            for message in tuple(self.unconfirmed.messages):
                handler.write_message(message, binary=True)
            if lost or self.unconfirmed.lost:
                about = {"header": self.session.unpack(self.unconfirmed.about)}
                self.write_stderr(_LOST, about)  # type: ignore[no-untyped-call]
            return super().connect()

        def nudge(self) -> asyncio.Future[None]:
            """Wait for new channels; a nudge would read from those of before, which are open."""
            if not self.restored:
                return super().nudge()
            found: asyncio.Future[None] = asyncio.Future()
            found.set_result(None)
            return found

        def disconnect(self) -> None:  # type: ignore[override]
            """Disconnect once: the kernel's messages are kept from now on."""
            if self.unconfirmed is None or not self.ended:
                self.ended = True
                super().disconnect()  # type: ignore[no-untyped-call]

        @property
        def write_message(self) -> Any:
            """What sends a message."""
            return self._send if self.unconfirmed else self.websocket_handler.write_message

        @property
        def subprotocol(self) -> Any:
            """The protocol, also while the connection is closing."""
            return _PROTOCOL if self.unconfirmed else super().subprotocol

        def _send(self, message: bytes, *, binary: bool) -> None:
            if self.unconfirmed:
                self.unconfirmed.add(message)
            with suppress(WebSocketClosedError):  # it is sent again after reconnecting
                self.websocket_handler.write_message(message, binary=binary)

        def handle_incoming_message(self, incoming_msg: Any) -> None:
            """Pass a message on to the kernel; an answer ends its waiting."""
            if getattr(self.kernel_manager, "gpuquota_asks", "") and _is_answer(incoming_msg):
                self.kernel_manager.gpuquota_asks = ""
            super().handle_incoming_message(incoming_msg)

        def _on_zmq_reply(self, stream: Any, msg_list: Any) -> None:
            if getattr(stream, "channel", "") == "stdin" and isinstance(msg_list, dict):
                _ask(self.kernel_manager, msg_list["header"], msg_list["parent_header"])
            elif getattr(stream, "channel", "") == "stdin":
                _ask(self.kernel_manager, *map(_unpacked, msg_list[:2]))
            if self.unconfirmed:
                self.unconfirmed.about = bytes(msg_list[1])
                if self.kernel_manager.shutting_down and _kind(msg_list) in _END_OF_A_CELL:
                    return
            super()._on_zmq_reply(stream, msg_list)  # type: ignore[no-untyped-call]

    c.ServerApp.kernel_websocket_connection_class = SessionConnection  # type: ignore[name-defined]

try:
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

    _watch = MappingKernelManager.start_watching_activity
    _kernel = MappingKernelManager.kernel_model
    _buffer = MappingKernelManager.start_buffering
except (ImportError, AttributeError):
    pass
else:

    def _parts(frames: list[bytes]) -> list[Any]:
        """Return header, parent, metadata and content of a kernel's message."""
        return [_unpacked(part) for part in frames[frames.index(b"<IDS|MSG>") + 2 :][:4]]

    def _tap(stream: Any, hear: Any) -> None:
        """Let a function hear the messages of a stream, after whoever receives them."""
        receive = stream._recv_callback  # noqa: SLF001 (another stream would double the traffic)

        def received(frames: list[bytes]) -> None:
            receive(frames)
            hear(frames)

        stream.on_recv(received)

    def _watched(self: Any, kernel_id: Any) -> None:
        """Watch a kernel, and see the end of a cell that asks for input."""
        _watch(self, kernel_id)  # type: ignore[no-untyped-call]
        kernel = self._kernels[kernel_id]
        kernel.gpuquota_asks = ""

        def hear(frames: list[bytes]) -> None:
            if kernel.gpuquota_asks:
                header, parent, _, content = _parts(frames)
                ended = header["msg_type"] == "status" and content["execution_state"] == "idle"
                if ended and parent.get("msg_id") == kernel.gpuquota_asks:
                    kernel.gpuquota_asks = ""

        _tap(kernel._activity_stream, hear)  # noqa: SLF001

    def _buffered(self: Any, kernel_id: Any, session_key: Any, channels: Any) -> None:
        """Keep a kernel's messages for a page that was closed, and see that a cell asks."""
        _buffer(self, kernel_id, session_key, channels)  # type: ignore[no-untyped-call]
        kernel = self._kernels[kernel_id]
        if self.buffer_offline_messages and "stdin" in channels:
            _tap(channels["stdin"], lambda frames: _ask(kernel, *_parts(frames)[:2]))

    def _kernel_model(self: Any, kernel_id: Any) -> dict[str, Any]:
        model: dict[str, Any] = _kernel(self, kernel_id)  # type: ignore[no-untyped-call]
        asks = getattr(self._kernels[kernel_id], "gpuquota_asks", "")
        model["waits_for_input"] = bool(asks)
        return model

    MappingKernelManager.start_watching_activity = _watched  # type: ignore[method-assign]
    MappingKernelManager.kernel_model = _kernel_model  # type: ignore[method-assign]
    MappingKernelManager.start_buffering = _buffered  # type: ignore[method-assign]

try:
    from jupyter_server_terminals.terminalmanager import TerminalManager

    _terminal = TerminalManager.get_terminal_model
except (ImportError, AttributeError):
    pass
else:
    _NUMBER_OF_TERMINAL = 0x80045430  # TIOCGPTN
    _LOCAL_MODES = 3

    def _use_of(terminal: Any) -> dict[str, Any]:
        """Return when a terminal was typed into and printed to, to 8 seconds."""
        master = terminal.ptyproc.fd
        number = int.from_bytes(ioctl(master, _NUMBER_OF_TERMINAL, bytes(4)), sys.byteorder)
        found = os.stat(f"/dev/pts/{number}")  # noqa: PTH116
        typed, printed = (
            datetime.fromtimestamp(at, timezone.utc).isoformat()  # noqa: UP017 (Python 3.8)
            for at in (found.st_atime, found.st_mtime)
        )
        keys = not termios.tcgetattr(master)[_LOCAL_MODES] & termios.ICANON
        return {"last_typed": typed, "last_printed": printed, "takes_keys": keys}

    def _terminal_model(self: Any, name: str) -> dict[str, Any]:
        model = _terminal(self, name)
        with suppress(OSError, termios.error):  # it has just ended
            model.update(_use_of(self.terminals[name]))
        return model

    TerminalManager.get_terminal_model = _terminal_model  # type: ignore[method-assign]

_DIGITS = 12
_PYTHON = re.compile(r"python[0-9.]*")
_IPYKERNEL = {"ipykernel", "ipykernel_launcher"}
_HERE = {*_IPYKERNEL, "nb_conda_kernels.runner"}
"""Modules that run ipykernel on this machine, the last one in another environment."""


def _module_at(spec: Any) -> int:
    """Return where a kernelspec names ipykernel, 0 if that does not run on this machine."""
    words = spec.argv
    places = [at + 1 for at, word in enumerate(words[:-1]) if word == "-m"]
    other = (getattr(spec, "metadata", None) or {}).get("kernel_provisioner")
    if other or not places or not _PYTHON.fullmatch(Path(words[0]).name):
        return 0
    is_here = words[places[0]] in _HERE and words[places[-1]] in _IPYKERNEL
    return places[-1] if is_here else 0


def _run_ours(spec: Any, module_at: int, *options: str) -> None:
    """Let a kernelspec start ipykernel by our file beside this one."""
    words = spec.argv
    file = str(Path(__file__).with_name("run_ipykernel.py"))
    spec.argv = [*words[: module_at - 1], file, *options, *words[module_at + 1 :]]


try:
    import zmq
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_client.multikernelmanager import MultiKernelManager

    _prepare = MultiKernelManager.pre_start_kernel
except (ImportError, AttributeError):
    pass
else:

    def _prepared(self: Any, kernel_name: Any, kwargs: Any) -> Any:
        """Return a new manager of a kernel, whose sockets others cannot open.

        jupyter_client has settings of transports for all kernels at once only.
        """
        manager, name, kernel = _prepare(self, kernel_name, kwargs)
        sock = getattr(self.parent, "sock", "")
        if not sock or getattr(manager, "transport", "") != "tcp":
            return manager, name, kernel
        with suppress(NoSuchKernel):  # which is reported when it is started
            if module_at := _module_at(manager.kernel_spec):
                debugger = self.config.SessionKernels.get("debugger", True)
                options = () if debugger else ("--without-debugger",)
                _run_ours(manager.kernel_spec, module_at, *options)
                digest = sha256(str(kernel).encode()).hexdigest()[:_DIGITS]
                manager.transport = "ipc"
                manager.ip = str(Path(sock).with_name(digest))
            elif hasattr(manager, "transport_encryption") and zmq.has("curve"):
                manager.transport_encryption = "auto"
        return manager, name, kernel

    MultiKernelManager.pre_start_kernel = _prepared  # type: ignore[method-assign]

_LARGEST = {"websocket_max_message_size": 2**30 + 2**24}
c.ServerApp.tornado_settings.update(_LARGEST)  # type: ignore[name-defined]

_SHELL = os.environ.get("SHELL") or which("bash") or "sh"
c.ServerApp.terminado_settings = {"shell_command": [_SHELL]}  # type: ignore[name-defined]
