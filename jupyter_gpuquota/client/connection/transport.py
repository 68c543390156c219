"""Transports of messages: to a controller, by its socket or URL, or through a Jupyter Server."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

from ...errors import NoServer, VersionMismatch
from ...hosting.locate import Location
from ...hosting.remote import Remote
from ...hosting.start import ensure_controller
from ...model.about import API_VERSION
from ...model.addresses import lab_path, outer_base
from ...model.sessions import Endpoint
from .exchange import HttpLines, exchange
from .protocol import Call, Lines, Message, Reply, decode, encode

T = TypeVar("T")

_ATTEMPTS = 4
"""Attempts to connect to a controller that is replaced meanwhile."""

if TYPE_CHECKING:
    from http.client import HTTPConnection

    Way = Callable[[HTTPConnection, str, dict[str, str], Message], T]


class Transport(Protocol):
    """What sends a message and returns the reply. Blocks; may be called from several threads."""

    @property
    def url(self) -> str:
        """The URL of the Jupyter Server; empty for a direct connection to a controller."""

    def send(self, message: Message) -> Reply:
        """Send one message.

        Raises NoServer if it was not sent, Unavailable if its outcome is unknown.
        """

    def listen(self, message: Message) -> Lines:
        """Send one message whose answer comes line by line. Raises as `send`."""


class SocketTransport:
    """The transport to a controller of this machine, which is started if needed.

    `tried` names the servers that were tried before, and why they failed; `ensure` returns the
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
        self._pid = 0

    def __str__(self) -> str:
        """Return where the controller is."""
        return str(self.location.socket)

    def send(self, message: Message) -> Reply:
        """Send one message; a controller that was replaced meanwhile is found again."""
        return self._carry(exchange, message)

    def listen(self, message: Message) -> Lines:
        """Send one message whose answer comes line by line."""
        return self._carry(HttpLines, message)

    def _carry(self, way: Way[T], message: Message) -> T:
        from ...hosting.unix import UnixConnection  # noqa: PLC0415 (keeps the import light)

        for last in (*[False] * (_ATTEMPTS - 1), True):
            if not self._pid:
                self._find()
            connection = UnixConnection(self.location.socket, message.timeout, self._pid)
            try:
                answer = way(connection, "/", {}, message)
            except NoServer:  # nothing was sent: it has exited, or was replaced
                self._pid = 0
                if last:
                    raise
            else:
                self._pid = connection.pid
                return answer
        raise AssertionError("the last attempt returns or raises")

    def _find(self) -> None:
        """Find or start the controller, and compare its version with ours."""
        try:
            self._ensure(self.location)
        except NoServer as error:
            tried = [f"Tried before: {line}" for line in self._tried]
            hint = "\n".join([*([error.hint] if error.hint else []), *tried])
            raise NoServer(error.message, hint=hint) from error


class UrlTransport(ABC):
    """A transport to a server at a URL, which compares versions once before its first message."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._introduced = False

    def __str__(self) -> str:
        """Return where the server is."""
        return self._place

    def send(self, message: Message) -> Reply:
        """Send one message; the first call compares versions before."""
        self.introduce()
        return self._carry(exchange, message)

    def listen(self, message: Message) -> Lines:
        """Send one message whose answer comes line by line."""
        self.introduce()
        return self._carry(HttpLines, message)

    def introduce(self, timeout: float = 10.0) -> None:
        """Check, once, that our server answers and has a compatible version.

        Raises NoServer, NotAllowed, VersionMismatch.
        """
        if self._introduced:
            return
        about = Call("about.get", timeout=timeout)
        answer = decode(about, self._carry(exchange, encode(about)))
        if answer.api != API_VERSION:
            raise VersionMismatch(
                f"{self._place} has jupyter_gpuquota {answer.version}, which is not compatible "
                "with this version.",
                hint="Install the same version here and there.",
            )
        self._introduced = True

    @abstractmethod
    def ingress(self, session: str) -> Endpoint:
        """Return where the ingress of a Jupyter Server at this URL shows a session, by its id.

        The token is in the endpoint's headers. Raises NoServer.
        """

    @abstractmethod
    def _carry(self, way: Way[T], message: Message) -> T:
        """Send a message on a new connection, in the given way."""


class HttpTransport(UrlTransport):
    """The transport to a Jupyter Server with our extension; the token is sent in a header only."""

    def __init__(self, url: str, token: str = "", sock: str = "") -> None:
        self.url, found = split_url(url)
        super().__init__(self.url)
        self._sock = sock
        token = token or found
        self._headers = {"Authorization": f"token {token}"} if token else {}

    def ingress(self, session: str) -> Endpoint:
        """Return where the server's ingress shows a session."""
        return _ingress(self.url, session, headers=self._headers, socket=self._sock)

    def _carry(self, way: Way[T], message: Message) -> T:
        parts = urlsplit(self.url)
        connection = self._connection(message.timeout)
        with _naming(self.url):
            return way(connection, parts.path, self._headers, message)

    def _connection(self, timeout: float) -> HTTPConnection:
        import http.client  # noqa: PLC0415 (keeps the import light)

        from ...hosting.unix import UnixConnection  # noqa: PLC0415 (the same)

        parts = urlsplit(self.url)
        if self._sock:
            return UnixConnection(Path(self._sock), timeout)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(parts.netloc, timeout=timeout)
        return http.client.HTTPConnection(parts.netloc, timeout=timeout)


class RemoteTransport(UrlTransport):
    """The transport to a controller at a URL; the token is read for each message.

    A Jupyter Server with our extension answers there, too.
    """

    url = ""

    def __init__(self, remote: Remote) -> None:
        super().__init__(remote.url)
        self._remote = remote

    def ingress(self, session: str) -> Endpoint:
        """Return where the ingress shows a session, if a Jupyter Server is at the URL."""
        remote = self._remote
        return _ingress(remote.url, session, headers=remote.headers(), ca=remote.authorities())

    def _carry(self, way: Way[T], message: Message) -> T:
        remote = self._remote
        connection = remote.connection(message.timeout)
        with _naming(remote.url):
            return way(connection, f"{remote.path}/", remote.headers(), message)


def _ingress(url: str, session: str, **more: Any) -> Endpoint:
    parts = urlsplit(url)
    encrypted = parts.scheme == "https"
    return Endpoint(
        host="localhost" if more.get("socket") else parts.hostname or "",
        port=parts.port or (443 if encrypted else 80),
        scheme="https" if encrypted else "http",
        base_url=lab_path(outer_base(f"{parts.path.rstrip('/')}/"), session) + "/",
        **more,
    )


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Add the URL to the error of a server that does not answer."""
    try:
        yield
    except NoServer as error:
        hint = error.hint or "Check the address, and whether a server runs there."
        raise NoServer(f"{url} does not answer: {error.message}", hint=hint) from error


def split_url(url: str) -> tuple[str, str]:
    """Return the base URL and the token of a server from a URL that a user may have copied.

    Raises NoServer for text that is not the URL of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "http+unix"} or not parts.netloc:
        raise NoServer(
            f"{url!r} is not the URL of a Jupyter Server.", hint="Write http://127.0.0.1:8888/."
        )
    path = re.sub(r"/(lab|tree|notebooks|doc)(/.*)?$", "/", parts.path)
    token = parse_qs(parts.query).get("token", [""])[0]
    return f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}/", token
