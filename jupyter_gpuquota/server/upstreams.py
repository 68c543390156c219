"""The ways to a controller: one of this machine, found or started when needed, or one at a URL."""

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
from ..errors import NoServer, Unavailable, VersionMismatch
from ..hosting.locate import Location
from ..hosting.remote import CA, TOKEN_FILE, Remote
from ..hosting.unix import API
from ..model.about import API_VERSION, About
from .http1 import Response, fetch

Ensure = Callable[[Location], Path]
"""Start a controller unless it answers; return its socket. Blocks."""

_TIMEOUT = 10.0


class Upstream(Protocol):
    """A way to a controller."""

    @property
    def root(self) -> str:
        """What the paths of its REST interface begin with."""

    @property
    def log(self) -> str:
        """Where it says more than it answers, for hints."""

    def headers(self) -> HTTPHeaders:
        """Return what every request carries. Raises NoServer where it is not to be had."""

    async def connect(self) -> IOStream:
        """Return a new connection. Raises NoServer, Unavailable, VersionMismatch."""

    def close(self) -> None:
        """Stop whatever is under way, without waiting for it."""


class OwnController:
    """The controller of a location on this machine, which is started when it is needed."""

    root = API

    def __init__(self, location: Location, ensure: Ensure) -> None:
        self._location = location
        self._ensure = ensure
        self._socket: Path | None = None
        self._search: asyncio.Future[Path] | None = None
        # Its own thread: starting a controller blocks for long, and the loop's default threads
        # are everybody's.
        self._searcher = ThreadPoolExecutor(1, "gpuquota-gateway")

    @property
    def log(self) -> str:
        """The controller's log file."""
        return str(self._location.log)

    def headers(self) -> HTTPHeaders:
        """Return what HTTP demands; the socket says who we are."""
        return HTTPHeaders({"Host": "controller"})

    async def connect(self) -> IOStream:
        """Connect to the socket; the controller is looked for again where nobody listens."""
        if self._socket:
            try:
                return await sockets.connect(self._socket)
            except OSError:
                self._socket = None
        self._socket = await self._find()
        try:
            return await sockets.connect(self._socket)
        except OSError as error:
            raise Unavailable(
                f"The controller's socket cannot be used: {error}.", hint=f"See {self.log}."
            ) from error

    def close(self) -> None:
        """Leave a search that is under way to itself."""
        self._searcher.shutdown(wait=False, cancel_futures=True)

    async def _find(self) -> Path:
        """Find or start the controller; everyone who waits for it waits for one search."""
        if self._search is None or self._search.done():
            loop = asyncio.get_running_loop()
            self._search = loop.run_in_executor(self._searcher, self._ensure, self._location)
        return await asyncio.shield(self._search)


class RemoteController:
    """The controller at a URL, which somebody else has started."""

    log = "the controller's log"

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    @property
    def root(self) -> str:
        """What the paths of its REST interface begin with."""
        return self._remote.path + API

    def headers(self) -> HTTPHeaders:
        """Return what HTTP demands, and the token."""
        return HTTPHeaders({"Host": self._remote.netloc, **self._remote.headers()})

    async def connect(self) -> IOStream:
        """Connect, and compare versions: it may be another one than at the last time."""
        try:
            stream = await TCPClient().connect(
                self._remote.host,
                self._remote.port,
                ssl_options=self._remote.tls(),
                timeout=_TIMEOUT,
            )
        except (OSError, StreamClosedError) as error:
            raise self._away(error) from error
        try:
            await self._introduce(stream)
        except BaseException:
            stream.close()
            raise
        return stream

    def close(self) -> None:
        """Do nothing: nothing is under way."""

    async def _introduce(self, stream: IOStream) -> None:
        """Raise NoServer, Unavailable or VersionMismatch if it is not one that understands us."""
        try:
            response = await fetch(stream, "GET", f"{self.root}/about", self.headers())
        except StreamClosedError as error:
            raise self._away(error) from error
        check_token(response)
        if response.status == 404:
            raise NoServer(
                f"There is a server at {self._remote.url}, but no controller.",
                hint="Check the URL.",
            )
        if response.status != 200:
            raise Unavailable(f"{self._remote.url} answers with HTTP {response.status}.")
        try:
            about = msgspec.json.decode(bytes(response.body), type=About)
            fits, version = about.api == API_VERSION, f"version {about.version}"
        except msgspec.MsgspecError:
            fits, version = False, "an unknown version"
        if not fits:
            raise VersionMismatch(
                f"The controller at {self._remote.url} is of {version} and does not understand "
                "this one.",
                hint="Install the same version of jupyter_gpuquota here and there.",
            )

    def _away(self, error: Exception) -> NoServer:
        cause = getattr(error, "real_error", None) or error
        if isinstance(cause, ssl.SSLCertVerificationError):
            return NoServer(
                f"The certificate of {self._remote.url} is not trusted: {cause.verify_message}.",
                hint=f"{CA} names a file with the authority that has signed it.",
            )
        said = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return NoServer(f"{self._remote.url} does not answer: {said}.", hint="Ask its admin.")


def check_token(response: Response) -> None:
    """Raise Unavailable for a token that is not known there: no user can do anything about it."""
    if response.status == 401:
        raise Unavailable(
            "The controller does not know this server's token.",
            hint=f"It comes from the file in {TOKEN_FILE}, or from JupyterHub.",
        )
