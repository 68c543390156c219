"""Accept connections only while enough file descriptors are free, and answer heads too long."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

from msgspec.json import encode
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.iostream import IOStream, StreamClosedError

from ..api.statuses import error_of
from ..model.struct import problem_of

_Read = Callable[[bytes, int | None], Awaitable[bytes]]

log = logging.getLogger(__name__)

_RESERVE = 64
"""File descriptors that are reserved for files and programs."""
_AT_ONCE = 128
_LONGEST_HEAD = 256 * 1024
"""Bytes of a request's head that are read to its end, so that the client sees the refusal; all
of it is in memory, of strangers, too."""
_PAUSE = 1.0
"""Seconds between two attempts to accept again."""


class BoundedServer(HTTPServer):
    """A server whose clients wait in the backlog while file descriptors are scarce.

    Tornado's own server would retry without a pause, and log each failure.
    """

    _failures = 0

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a client; a head above `max_header_size` is refused in words."""
        stream.read_until_regex = partial(_read_head, stream, stream.read_until_regex)  # type: ignore[method-assign]
        super().handle_stream(stream, address)

    def add_sockets(self, sockets: Iterable[socket.socket]) -> None:
        """Accept connections on listening sockets."""
        for listener in sockets:
            self._sockets[listener.fileno()] = listener
            self._listen(listener)

    def drop_sockets(self) -> None:
        """Close all listening sockets; connections stay open."""
        for number, listener in list(self._sockets.items()):
            self._handlers.pop(number)()
            listener.close()
        self._sockets.clear()

    def _listen(self, listener: socket.socket) -> None:
        loop = IOLoop.current()
        loop.add_handler(listener, partial(self._accept, listener), IOLoop.READ)
        self._handlers[listener.fileno()] = partial(loop.remove_handler, listener)

    def _pause(self, listener: socket.socket) -> None:
        self._handlers[listener.fileno()]()
        loop = IOLoop.current()
        timer = loop.call_later(_PAUSE, self._listen, listener)
        self._handlers[listener.fileno()] = partial(loop.remove_timeout, timer)

    def _accept(self, listener: socket.socket, *_event: Any) -> None:
        for _ in range(_AT_ONCE):
            try:
                connection, address = _take(listener)
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            except OSError as error:
                self._note_failure(error)
                self._pause(listener)
                return
            self._note_success()
            self._handle_connection(connection, address)

    def _note_failure(self, error: OSError) -> None:
        if not self._failures:
            log.warning("cannot accept clients: %s; they wait", error)
        self._failures += 1

    def _note_success(self) -> None:
        if self._failures:
            log.info("accepting clients again, after %d attempts", self._failures)
        self._failures = 0


async def _read_head(stream: IOStream, read: _Read, regex: bytes, max_bytes: int) -> bytes:
    """Return the head of a request. Tornado alone closes the connection where it is too long."""
    head = await read(regex, _LONGEST_HEAD)
    if len(head) <= max_bytes:
        return head
    body = encode(problem_of(error_of(431, f"The headers are larger than {max_bytes >> 10} KiB.")))
    lines = (
        "HTTP/1.1 431 Request Header Fields Too Large",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    await stream.write("\r\n".join((*lines, "", "")).encode() + body)
    stream.close()
    raise StreamClosedError


def _take(listener: socket.socket) -> tuple[socket.socket, Any]:
    """Return a connection and its address. Raises OSError, also if it would use the reserve.

    The kernel assigns the lowest free descriptor, so a high one means that most are in use.
    """
    number = os.dup(listener.fileno())
    os.close(number)
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and number + min(_RESERVE, most // 4) >= most:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return listener.accept()
