"""Listen to kernels for code that users run, from any client.

A kernel publishes such code as `execute_input`; messages of its widgets and threads have other
types. Of ipykernel's topics only those that begin with `kernel.` are subscribed to, so that
output, figures and widgets are not received: `kernel.<a number>.execute_input`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import zmq

from ...model.struct import Model

_TOPICS, _INPUT, _SIGNS = b"kernel.", b".execute_input", b"<IDS|MSG>"
_ROOM = 10_000
_MOST = 256
"""Maximum number of kernels to listen to at a time: each takes two file descriptors."""
_HERE = frozenset({"127.0.0.1", "localhost", "0.0.0.0"})  # noqa: S104 (compared)
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _Connection(Model, frozen=True, kw_only=True):
    """The fields that are read of a kernel's connection file."""

    iopub_port: int
    ip: str = "127.0.0.1"
    transport: str = "tcp"
    curve_secretkey: str = ""


class _Header(Model, frozen=True, kw_only=True):
    """The fields that are read of a message's header."""

    date: datetime


def address_of(runtime: Path, kernel: str, words: Iterable[bytes]) -> str:
    """Return where a kernel publishes; empty if it is no ipykernel of this machine, or encrypted.

    `words` are the command lines of the session's processes.
    """
    name = f"kernel-{kernel}.json"
    if not _ID.fullmatch(kernel):
        return ""
    if not any(b"ipykernel" in each and name.encode() in each for each in words):
        return ""
    try:
        found = msgspec.json.decode((runtime / name).read_bytes(), type=_Connection)
    except (OSError, msgspec.DecodeError):
        return ""
    if found.curve_secretkey:
        return ""
    if found.transport == "ipc":
        return f"ipc://{found.ip}-{found.iopub_port}"
    here = found.transport == "tcp" and found.ip in _HERE and 0 < found.iopub_port < 2**16
    return f"tcp://127.0.0.1:{found.iopub_port}" if here else ""


class Listener:
    """Listens to one kernel, in the event loop, without blocking it."""

    def __init__(self, context: zmq.Context[Any], address: str) -> None:
        self.address = address
        self._linked = False
        self._socket = context.socket(zmq.SUB)
        self._socket.linger = 0
        self._socket.rcvhwm = _ROOM
        self._monitor = self._socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self._socket.subscribe(_TOPICS)
        try:
            self._socket.connect(address)
        except zmq.ZMQError:
            self.close()
            raise

    def poll(self) -> tuple[bool, datetime | None]:
        """Return whether nothing can have been missed since the last call, and when code ran.

        Messages before the connection was established are missed; that it is established is
        known one call later.
        """
        whole, last = self._linked, None
        for _ in range(_ROOM):
            try:
                frames = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            if frames[0].endswith(_INPUT):
                last = _date_of(frames)
        else:
            whole = False
        self._see_linked()
        return whole, last

    def close(self) -> None:
        """Stop listening."""
        self._end_monitor()
        self._socket.close()

    def _see_linked(self) -> None:
        if self._linked:
            return
        with suppress(zmq.Again):
            self._monitor.recv_multipart(zmq.NOBLOCK)
            self._linked = True
            self._end_monitor()  # it uses file descriptors, too

    def _end_monitor(self) -> None:
        if not self._monitor.closed:
            self._socket.disable_monitor()
            self._monitor.close()


class Listeners:
    """Listens to kernels, up to the maximum number."""

    def __init__(self) -> None:
        self._context: zmq.Context[Any] | None = None
        self._known: dict[tuple[str, str], Listener] = {}

    def get(self, kernel: tuple[str, str]) -> Listener | None:
        """Return the listener of a kernel, named by session and id."""
        return self._known.get(kernel)

    def listen(self, kernel: tuple[str, str], address: str) -> None:
        """Listen to a kernel at an address; stop if the address is empty."""
        old = self._known.get(kernel)
        if old and old.address == address:
            return
        if old:
            self._known.pop(kernel).close()
        if address and len(self._known) < _MOST:
            self._context = self._context or zmq.Context(io_threads=1)
            with suppress(
                zmq.ZMQError
            ):  # for example, no file descriptors left: the kernel stays without listener
                self._known[kernel] = Listener(self._context, address)

    def keep_only(self, kernels: Iterable[tuple[str, str]]) -> None:
        """Stop listening to all other kernels."""
        for kernel in self._known.keys() - set(kernels):
            self._known.pop(kernel).close()

    def close(self) -> None:
        """Stop listening to all kernels."""
        self.keep_only(())
        if self._context:
            self._context.destroy(linger=0)
            self._context = None


def _date_of(frames: list[bytes]) -> datetime:
    """Return when a message was sent; now, if unknown."""
    now = datetime.now(UTC)
    try:
        header = frames[frames.index(_SIGNS) + 2]
        date = msgspec.json.decode(header, type=_Header).date
    except (ValueError, IndexError, msgspec.DecodeError):
        return now
    return min(date, now) if date.tzinfo else now
