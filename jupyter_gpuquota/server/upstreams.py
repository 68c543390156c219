"""Upstream controllers: one of this machine, started when needed, one at a URL, or none."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import msgspec
from tornado.httputil import HTTPHeaders
from tornado.iostream import IOStream, StreamClosedError
from tornado.tcpclient import TCPClient

from ..api import sockets
from ..api.sockets import peer_of
from ..environ import CA, TOKEN_FILE
from ..errors import NoServer, Unavailable, VersionMismatch
from ..hosting.locate import Location
from ..hosting.remote import Remote
from ..hosting.unix import API
from ..hosting.unresponsive import not_responding
from ..http1 import Response, fetch
from ..model.about import API_VERSION, About

Ensure = Callable[[Location], Path]
"""Start a controller unless one responds; return its socket. Blocks."""

_TIMEOUT = 10.0
_PROBE_TIMEOUT = 5.0
_ATTEMPTS = 4
"""AttemptLimit to connect; the controller may be replaced between finding and connecting."""


class Upstream(Protocol):
    """A connection factory for one controller."""

    @property
    def root(self) -> str:
        """The prefix of the REST interface's paths."""

    @property
    def log(self) -> str:
        """Where the controller's log is, for hints."""

    def headers(self) -> HTTPHeaders:
        """Return the headers of every request. Raises NoServer if they cannot be determined."""

    async def connect(self) -> IOStream:
        """Return a new connection. Raises NoServer, Unavailable, VersionMismatch."""

    async def probe(self) -> None:
        """Request `about`. Raises Unavailable without a response within seconds."""

    def close(self) -> None:
        """Cancel work in progress without waiting for it."""


class OwnController:
    """The controller of a location on this machine, started when needed.

    `probe_timeout` is in seconds.
    """

    root = API

    def __init__(
        self, location: Location, ensure: Ensure, probe_timeout: float = _PROBE_TIMEOUT
    ) -> None:
        self._location = location
        self._probe_timeout = probe_timeout
        self._ensure = ensure
        self._socket = location.socket
        self._pid = 0
        self._search: asyncio.Future[Path] | None = None
        # A separate thread: starting a controller blocks for long, and the loop's default threads
        # are shared.
        self._searcher = ThreadPoolExecutor(1, "gpuquota-gateway")

    @property
    def log(self) -> str:
        """The controller's log file."""
        return str(self._location.log)

    def headers(self) -> HTTPHeaders:
        """Return the Host header; the socket identifies the account."""
        return HTTPHeaders({"Host": "controller"})

    async def connect(self) -> IOStream:
        """Connect to the socket; find the controller again if another one listens there."""
        failure: OSError | None = None
        for _ in range(_ATTEMPTS):
            if not self._pid:
                self._socket = await self._find()
            try:
                stream = await sockets.connect(self._socket)
            except TimeoutError as error:
                raise not_responding(self._location, self._pid) from error
            except OSError as error:
                failure, self._pid = error, 0
                continue
            pid = peer_of(stream.socket).pid
            if self._pid in {0, pid}:
                self._pid = pid
                return stream
            stream.close()
            self._pid = 0  # perhaps of another version: finding it compares versions
        raise Unavailable(
            f"The controller's socket cannot be used: {failure or 'it keeps changing'}.",
            hint=f"See {self.log}.",
        )

    async def probe(self) -> None:
        """Raise NoServer if the listener does not respond; no listener at all is no error here."""
        stream, pid = None, 0
        try:
            async with asyncio.timeout(self._probe_timeout):
                stream = await sockets.connect(self._location.socket)
                pid = peer_of(stream.socket).pid
                await fetch(stream, "GET", f"{API}/about", self.headers())
        except TimeoutError as error:
            raise not_responding(self._location, pid) from error
        except (OSError, StreamClosedError):
            return
        finally:
            if stream is not None:
                stream.close()

    def close(self) -> None:
        """Abandon a search in progress."""
        self._searcher.shutdown(wait=False, cancel_futures=True)

    async def _find(self) -> Path:
        """Find or start the controller; concurrent callers share one search."""
        if self._search is None or self._search.done():
            loop = asyncio.get_running_loop()
            self._search = loop.run_in_executor(self._searcher, self._ensure, self._location)
        return await asyncio.shield(self._search)


class RemoteController:
    """The controller at a URL, which is managed elsewhere."""

    log = "the controller's log"

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    @property
    def root(self) -> str:
        """The prefix of the REST interface's paths."""
        return self._remote.path + API

    def headers(self) -> HTTPHeaders:
        """Return the Host header and the token."""
        return HTTPHeaders({"Host": self._remote.netloc, **self._remote.headers()})

    async def connect(self) -> IOStream:
        """Connect and compare versions, as the controller may have been replaced."""
        try:
            stream = await TCPClient().connect(
                self._remote.host,
                self._remote.port,
                ssl_options=self._remote.tls(),
                timeout=_TIMEOUT,
            )
        except (OSError, StreamClosedError) as error:
            raise self._unreachable(error) from error
        try:
            await self._check_version(stream)
        except BaseException:
            stream.close()
            raise
        return stream

    async def probe(self) -> None:
        """Raise Unavailable unless it responds."""
        try:
            async with asyncio.timeout(_PROBE_TIMEOUT):
                stream = await self.connect()
        except TimeoutError as error:
            raise self._unreachable(error) from error
        stream.close()

    def close(self) -> None:
        """Do nothing: there is no work in progress."""

    async def _check_version(self, stream: IOStream) -> None:
        """Raise NoServer, Unavailable or VersionMismatch unless it is a compatible controller."""
        try:
            response = await fetch(stream, "GET", f"{self.root}/about", self.headers())
        except StreamClosedError as error:
            raise self._unreachable(error) from error
        check_token(response)
        if response.status == 404:
            raise NoServer(
                f"The server at {self._remote.url} is not a GPU controller.",
                hint="Check the URL.",
            )
        if response.status != 200:
            raise Unavailable(f"{self._remote.url} responds with HTTP {response.status}.")
        try:
            about = msgspec.json.decode(bytes(response.body), type=About)
            compatible, version = about.api == API_VERSION, f"version {about.version}"
        except msgspec.MsgspecError:
            compatible, version = False, "an unknown version"
        if not compatible:
            raise VersionMismatch(
                f"The controller at {self._remote.url} has {version}, which is incompatible with "
                "this one.",
                hint="Install the same version of jupyter_gpuquota on both sides.",
            )

    def _unreachable(self, error: Exception) -> NoServer:
        cause = getattr(error, "real_error", None) or error
        if isinstance(cause, ssl.SSLCertVerificationError):
            return NoServer(
                f"The certificate of {self._remote.url} is not trusted: {cause.verify_message}.",
                hint=f"Set {CA} to a file with the CA certificate that signed it.",
            )
        said = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return NoServer(
            f"{self._remote.url} does not respond: {said}.", hint="Ask an administrator."
        )


class NoController:
    """The upstream of a server that can reach no controller; `error` says why."""

    root = API
    log = ""

    def __init__(self, error: NoServer) -> None:
        self._error = error

    def headers(self) -> HTTPHeaders:
        """Raise the error."""
        raise self._error.with_traceback(None)

    async def connect(self) -> IOStream:
        """Raise the error."""
        raise self._error.with_traceback(None)

    async def probe(self) -> None:
        """Do nothing: no server exists to check."""

    def close(self) -> None:
        """Do nothing: there is no connection."""


def check_token(response: Response) -> None:
    """Raise Unavailable for a rejected token: not 401, as users cannot fix this."""
    if response.status == 401:
        raise Unavailable(
            "The controller does not accept this server's token.",
            hint=f"It comes from the file in {TOKEN_FILE}, or from JupyterHub.",
        )
