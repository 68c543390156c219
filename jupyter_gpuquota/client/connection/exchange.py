"""One message and its answer, over their own connection."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...environ import CA
from ...errors import NoServer, OutcomeUnknown, Unavailable
from .protocol import ROOT, Message, Reply

if TYPE_CHECKING:
    from http.client import HTTPConnection


def exchange(
    connection: HTTPConnection, base_url: str, headers: dict[str, str], message: Message
) -> Reply:
    """Send one message and return the reply.

    Raises NoServer if nothing was sent, OutcomeUnknown if the connection broke later; a GET is
    repeated once, and then raises Unavailable.
    """
    for attempt in (1, 2):
        # In one block: an interrupt at any moment closes the connection.
        try:
            _connect(connection)
            _send(connection, base_url, headers, message)
            response = connection.getresponse()
            return Reply(response.status, response.read())
        except _faults() as error:
            may_repeat = message.method == "GET" and not isinstance(error, TimeoutError)
            if not may_repeat or attempt == 2:
                raise _broken(error, message) from error
        finally:
            connection.close()
    raise AssertionError("the second attempt returns or raises")


class HttpLines:
    """An answer that comes line by line.

    Raises NoServer if nothing was sent, Unavailable if the connection broke later.
    """

    def __init__(
        self,
        connection: HTTPConnection,
        base_url: str,
        headers: dict[str, str],
        message: Message,
    ) -> None:
        self._connection, self._message = connection, message
        try:
            with _breaking(message):
                _connect(connection)
                # HTTPConnection drops its socket if the answer ends with the connection.
                self._socket = socket.socket(fileno=os.dup(connection.sock.fileno()))
                _send(connection, base_url, headers, message)
                self._response = connection.getresponse()
        except BaseException:
            connection.close()
            raise
        self.status = self._response.status

    def read(self) -> bytes:
        """Return the whole answer."""
        with _breaking(self._message):
            return self._response.read()

    def next(self) -> bytes:
        """Return the next line, empty at the end."""
        with _breaking(self._message):
            return self._response.readline()

    def close(self) -> None:
        """Close the connection; a `next` of another thread then fails."""
        with suppress(OSError):  # the server has closed it already
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._response.close()
        self._connection.close()


def _connect(connection: HTTPConnection) -> None:
    try:
        connection.connect()
    except OSError as error:
        # The reason why a certificate is not trusted is an attribute of OpenSSL's error.
        if untrusted := getattr(error, "verify_message", ""):
            raise NoServer(
                f"its certificate is not trusted: {untrusted}.",
                hint=f"Set {CA} to a file with the authority that signed it.",
            ) from error
        raise NoServer(f"{_plain(error)}.") from error


def _send(
    connection: HTTPConnection, base_url: str, headers: dict[str, str], message: Message
) -> None:
    given = {"Content-Type": "application/json", **headers} if message.body else headers
    target = f"{base_url}{ROOT}{message.target}"
    connection.request(message.method, target, message.body or None, given)


@contextmanager
def _breaking(message: Message) -> Iterator[None]:
    """Raise Unavailable if the connection breaks."""
    try:
        yield
    except _faults() as error:
        raise _broken(error, message) from error


def _faults() -> tuple[type[Exception], ...]:
    """Return the errors of a connection that breaks."""
    import http.client  # noqa: PLC0415 (keeps the import light)

    return (OSError, http.client.HTTPException)


def _broken(error: Exception, message: Message) -> Unavailable:
    said = f"The connection broke: {_plain(error)}."
    if isinstance(error, TimeoutError):
        said = f"No answer within {message.timeout:.0f} s."
    if message.method == "GET":
        return Unavailable(said, hint="Try again.")
    return OutcomeUnknown(said, hint="Check whether it happened before you try again.")


def _plain(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
