"""Carry messages: to a controller, by its socket or its URL, or through a Jupyter Server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, urlsplit

from ..errors import NoServer, Unavailable, VersionMismatch
from ..hosting.locate import Location
from ..hosting.remote import CA, Remote
from ..hosting.start import ensure_controller
from ..model.about import API_VERSION
from .protocol import ROOT, Message, Reply, decode, encode
from .steps import Ask

if TYPE_CHECKING:
    from http.client import HTTPConnection


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
        from ..hosting.unix import UnixConnection  # noqa: PLC0415 (keeps the import light)

        if self._socket:
            try:
                return exchange(UnixConnection(self._socket, message.timeout), "/", {}, message)
            except NoServer:
                self._socket = None
        try:
            self._socket = self._ensure(self.location)
        except NoServer as error:
            tried = [f"Tried before: {line}" for line in self._tried]
            hint = "\n".join([*([error.hint] if error.hint else []), *tried])
            raise NoServer(error.message, hint=hint) from error
        return exchange(UnixConnection(self._socket, message.timeout), "/", {}, message)


class HttpTransport:
    """Speak to a Jupyter Server with our extension; the token travels in a header only."""

    def __init__(self, url: str, token: str = "", sock: str = "") -> None:
        self.url, found = split_url(url)
        self._sock = sock
        token = token or found
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._introduction = Introduction(self.url, self._send)

    def send(self, message: Message) -> Reply:
        """Carry one message, after the two sides have compared their versions."""
        self.introduce()
        return self._send(message)

    def introduce(self, timeout: float = 10.0) -> None:
        """Make sure, once, that our extension answers and understands us.

        Raises NoServer, NotAllowed, VersionMismatch.
        """
        self._introduction.make(timeout)

    def _send(self, message: Message) -> Reply:
        parts = urlsplit(self.url)
        connection = self._connection(message.timeout)
        with _naming(self.url):
            return exchange(connection, parts.path, self._headers, message)

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
        self._introduction = Introduction(remote.url, self._send)

    def send(self, message: Message) -> Reply:
        """Carry one message, after the two sides have compared their versions."""
        self._introduction.make()
        return self._send(message)

    def _send(self, message: Message) -> Reply:
        remote = self._remote
        connection = remote.connection(message.timeout)
        with _naming(remote.url):
            return exchange(connection, f"{remote.path}/", remote.headers(), message)


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


def exchange(
    connection: HTTPConnection, base_url: str, headers: dict[str, str], message: Message
) -> Reply:
    """Send one message over a connection of its own and read the reply.

    Raises NoServer if nothing was sent, Unavailable if the connection broke later on; a read is
    then safe to ask again, and is, once.
    """
    import http.client  # noqa: PLC0415 (keeps the import light)

    given = {"Content-Type": "application/json", **headers} if message.body else headers
    target = f"{base_url}{ROOT}{message.target}"
    for attempt in (1, 2):
        # All in one: an interrupt at any moment closes the connection.
        try:
            _connect(connection)
            connection.request(message.method, target, message.body or None, given)
            response = connection.getresponse()
            return Reply(response.status, response.read())
        except TimeoutError as error:
            raise _broken(f"No answer within {message.timeout:.0f} s.") from error
        except (OSError, http.client.HTTPException) as error:
            if message.method != "GET" or attempt == 2:
                raise _broken(f"The connection broke: {_plain(error)}.") from error
        finally:
            connection.close()
    raise AssertionError("the second attempt returns or raises")


def _connect(connection: HTTPConnection) -> None:
    try:
        connection.connect()
    except OSError as error:
        # The certificate's fault stands behind what OpenSSL makes of it.
        if untrusted := getattr(error, "verify_message", ""):
            raise NoServer(
                f"its certificate is not trusted: {untrusted}.",
                hint=f"{CA} names a file with the authority that has signed it.",
            ) from error
        raise NoServer(f"{_plain(error)}.") from error


def _broken(message: str) -> Unavailable:
    return Unavailable(message, hint="Look at the list before you ask again.")


def _plain(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
