"""Carry messages: to a controller, by its socket or its URL, or through a Jupyter Server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

from ..errors import NoServer, VersionMismatch
from ..hosting.locate import Location
from ..hosting.remote import Remote
from ..hosting.start import ensure_controller
from ..model.about import API_VERSION
from .exchange import HttpLines, exchange
from .protocol import Lines, Message, Reply, decode, encode
from .steps import Ask

T = TypeVar("T")

if TYPE_CHECKING:
    from http.client import HTTPConnection

    Way = Callable[[HTTPConnection, str, dict[str, str], Message], T]


class Transport(Protocol):
    """Carry a message and bring the reply. Blocks; may be called from several threads."""

    @property
    def url(self) -> str:
        """Return the URL of the Jupyter Server; empty where a controller is asked directly."""

    def send(self, message: Message) -> Reply:
        """Carry one message.

        Raises NoServer where nobody can be reached, Unavailable where it is not known whether
        what was asked has happened.
        """

    def listen(self, message: Message) -> Lines:
        """Carry one message whose answer comes line by line. Raises as `send`."""


class SocketTransport:
    """Speak to a controller of this machine, which is started when it is needed.

    `tried` says what was looked for before, and why it was not taken; `ensure` returns the
    socket of a controller that answers.
    """

    url = ""

    def __init__(
        self,
        location: Location,
        tried: Sequence[str] = (),
        ensure: Callable[[Location], Path] = ensure_controller,
    ) -> None:
        self.location = location
        self._tried = tried
        self._ensure = ensure
        self._socket: Path | None = None

    def send(self, message: Message) -> Reply:
        """Carry one message; the controller is looked for again where it has gone meanwhile."""
        return self._carry(exchange, message)

    def listen(self, message: Message) -> Lines:
        """Carry one message whose answer comes line by line."""
        return self._carry(HttpLines, message)

    def _carry(self, way: Way[T], message: Message) -> T:
        from ..hosting.unix import UnixConnection  # noqa: PLC0415 (keeps the import light)

        if self._socket:
            try:
                return way(UnixConnection(self._socket, message.timeout), "/", {}, message)
            except NoServer:
                self._socket = None
        try:
            self._socket = self._ensure(self.location)
        except NoServer as error:
            tried = [f"Tried before: {line}" for line in self._tried]
            hint = "\n".join([*([error.hint] if error.hint else []), *tried])
            raise NoServer(error.message, hint=hint) from error
        return way(UnixConnection(self._socket, message.timeout), "/", {}, message)


class HttpTransport:
    """Speak to a Jupyter Server with our extension; the token travels in a header only."""

    def __init__(self, url: str, token: str = "", sock: str = "") -> None:
        self.url, found = split_url(url)
        self._sock = sock
        token = token or found
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._introduction = Introduction(self.url, partial(self._carry, exchange))

    def send(self, message: Message) -> Reply:
        """Carry one message, after the two sides have compared their versions."""
        self.introduce()
        return self._carry(exchange, message)

    def listen(self, message: Message) -> Lines:
        """Carry one message whose answer comes line by line."""
        self.introduce()
        return self._carry(HttpLines, message)

    def introduce(self, timeout: float = 10.0) -> None:
        """Make sure, once, that our extension answers and understands us.

        Raises NoServer, NotAllowed, VersionMismatch.
        """
        self._introduction.make(timeout)

    def _carry(self, way: Way[T], message: Message) -> T:
        parts = urlsplit(self.url)
        connection = self._connection(message.timeout)
        with _naming(self.url):
            return way(connection, parts.path, self._headers, message)

    def _connection(self, timeout: float) -> HTTPConnection:
        import http.client  # noqa: PLC0415 (keeps the import light)

        from ..hosting.unix import UnixConnection  # noqa: PLC0415 (the same)

        parts = urlsplit(self.url)
        if self._sock:
            return UnixConnection(Path(self._sock), timeout)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(parts.netloc, timeout=timeout)
        return http.client.HTTPConnection(parts.netloc, timeout=timeout)


class RemoteTransport:
    """Speak to the controller at a URL; the token is read for each message."""

    url = ""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self._introduction = Introduction(remote.url, partial(self._carry, exchange))

    def send(self, message: Message) -> Reply:
        """Carry one message, after the two sides have compared their versions."""
        self._introduction.make()
        return self._carry(exchange, message)

    def listen(self, message: Message) -> Lines:
        """Carry one message whose answer comes line by line."""
        self._introduction.make()
        return self._carry(HttpLines, message)

    def _carry(self, way: Way[T], message: Message) -> T:
        remote = self._remote
        connection = remote.connection(message.timeout)
        with _naming(remote.url):
            return way(connection, f"{remote.path}/", remote.headers(), message)


class Introduction:
    """The comparison of versions with whoever answers at a URL, made once."""

    def __init__(self, url: str, send: Callable[[Message], Reply]) -> None:
        self._url = url
        self._send = send
        self._made = False

    def make(self, timeout: float = 10.0) -> None:
        """Raise NoServer, NotAllowed or VersionMismatch if it is not one that understands us."""
        if self._made:
            return
        about = Ask("about.get", timeout=timeout)
        answer = decode(about, self._send(encode(about)))
        if answer.api != API_VERSION:
            raise VersionMismatch(
                f"{self._url} has version {answer.version} of jupyter_gpuquota, which does not "
                "understand this one.",
                hint="Install the same version here and there.",
            )
        self._made = True


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Name the URL in the error of whoever cannot be reached there."""
    try:
        yield
    except NoServer as error:
        raise NoServer(f"{url} does not answer: {error.message}", hint=error.hint) from error


def split_url(url: str) -> tuple[str, str]:
    """Return a server's base URL and the token, from what a user may have copied from a browser.

    Raises NoServer for what is no URL of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "http+unix"} or not parts.netloc:
        raise NoServer(
            f"{url!r} is not the URL of a Jupyter Server.", hint="Write http://127.0.0.1:8888/."
        )
    path = re.sub(r"/(lab|tree|notebooks|doc)(/.*)?$", "/", parts.path)
    token = parse_qs(parts.query).get("token", [""])[0]
    return f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}/", token
