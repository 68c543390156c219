"""Have the controller answer: find or start it, and pass requests on through its socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tornado.httputil import HTTPHeaders
from tornado.iostream import IOStream, StreamClosedError

from ..api import sockets
from ..api.dispatch import Answer, Asked
from ..errors import Unavailable
from ..hosting.locate import Location
from ..hosting.unix import API
from .http1 import Connections, Response, fetch

Ensure = Callable[[Location], Path]
"""Start a controller unless it answers; return its socket. Blocks."""


class Gateway:
    """Answer by asking a controller, which is started when it is needed."""

    def __init__(self, location: Location, ensure: Ensure) -> None:
        self._location = location
        self._ensure = ensure
        self._connections = Connections()
        self._socket: Path | None = None
        self._search: asyncio.Future[Path] | None = None
        # Its own thread: starting a controller blocks for long, and the loop's default threads
        # are everybody's.
        self._searcher = ThreadPoolExecutor(1, "gpuquota-gateway")

    async def dispatch(self, asked: Asked) -> Answer:
        """Pass a request on; a read is asked again where the controller ended meanwhile.

        Raises:
            NoServer: no controller can be started; so does whatever else starting it raises.
            Unavailable: it ended or fell silent while it answered. Whether what was asked has
                happened is then unknown.
        """
        try:
            return await self._ask(asked)
        except StreamClosedError:
            if asked.route.method != "GET":
                raise self._silent("The controller ended while it worked on this.") from None
        try:
            return await self._ask(asked)
        except StreamClosedError:
            raise self._silent("The controller ended while it answered, twice.") from None

    def close(self) -> None:
        """Close all connections; a search that is under way is not waited for."""
        self._connections.close()
        self._searcher.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, asked: Asked) -> Answer:
        timeout = asked.route.timeout
        stream: IOStream | None = None
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that comes with the answer.
            async with asyncio.timeout(timeout):
                stream = await self._connections.borrow(self._location, self._open)
                response = await _send(stream, asked)
        except BaseException as error:
            if stream:
                stream.close()
            if isinstance(error, TimeoutError):
                raise self._late(timeout, sent=stream is not None) from None
            raise
        if response.reusable:
            self._connections.give_back(self._location, stream)
        else:
            stream.close()
        etag = response.headers.get("ETag", "")
        return Answer(response.status, bytes(response.body), etag)

    async def _open(self) -> IOStream:
        if self._socket:
            try:
                return await sockets.connect(self._socket)
            except OSError:
                self._socket = None
        self._socket = await self._find()
        try:
            return await sockets.connect(self._socket)
        except OSError as error:
            raise self._silent(f"The controller's socket cannot be used: {error}.") from error

    async def _find(self) -> Path:
        """Find or start the controller; everyone who waits for it waits for one search."""
        if self._search is None or self._search.done():
            loop = asyncio.get_running_loop()
            self._search = loop.run_in_executor(self._searcher, self._ensure, self._location)
        return await asyncio.shield(self._search)

    def _late(self, timeout: float, *, sent: bool) -> Unavailable:
        if sent:
            return self._silent(f"The controller did not answer in {timeout:.0f} s.")
        return Unavailable(
            f"The controller could not be reached in {timeout:.0f} s; nothing was sent.",
            hint=f"Try again; its log is {self._location.log}.",
        )

    def _silent(self, message: str) -> Unavailable:
        return Unavailable(
            message, hint=f"Look at the list before you ask again; see {self._location.log}."
        )


async def _send(stream: IOStream, asked: Asked) -> Response:
    target = API + asked.route.path.format(**asked.args)
    if asked.query:
        target += f"?{asked.query}"
    headers = HTTPHeaders({"Host": "controller"})
    if asked.etags:
        headers["If-None-Match"] = asked.etags
    return await fetch(stream, asked.route.method, target, headers, asked.body)
