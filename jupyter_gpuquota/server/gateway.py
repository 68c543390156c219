"""Have the controller answer: pass requests on, over connections that are kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from tornado.httputil import HTTPHeaders
from tornado.iostream import IOStream, StreamClosedError

from ..api.dispatch import Answer, Asked
from ..errors import Unavailable
from .http1 import Connections, fetch, fetch_parts
from .upstreams import Upstream, check_token

_CONTROLLER = "controller"
"""The one peer of a gateway."""


class Gateway:
    """Answer by asking a controller."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._connections = Connections()

    async def dispatch(self, asked: Asked) -> Answer:
        """Pass a request on; a read is asked again where the controller ended meanwhile.

        Raises:
            NoServer: no controller can be reached; so does whatever else connecting raises.
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
        self._upstream.close()

    async def _ask(self, asked: Asked) -> Answer:
        timeout = asked.route.timeout
        stream: IOStream | None = None
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that comes with the answer.
            async with asyncio.timeout(timeout):
                stream = await self._connections.borrow(_CONTROLLER, self._upstream.connect)
                if asked.route.streams:
                    return await self._follow(stream, asked)
                response = await fetch(stream, *self._request(asked))
        except BaseException as error:
            if stream:
                stream.close()
            if isinstance(error, TimeoutError):
                raise self._late(timeout, sent=stream is not None) from None
            raise
        if response.reusable:
            self._connections.give_back(_CONTROLLER, stream)
        else:
            stream.close()
        check_token(response)
        etag = response.headers.get("ETag", "")
        return Answer(response.status, bytes(response.body), etag)

    async def _follow(self, stream: IOStream, asked: Asked) -> Answer:
        """Return an answer that comes line by line, or an error that comes at once."""
        head, parts = await fetch_parts(stream, *self._request(asked))
        if head.status != asked.route.status:
            body = b"".join([part async for part in parts])
            check_token(head)
            return Answer(head.status, body)
        return Answer(head.status, lines=self._lines(parts))

    async def _lines(self, parts: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        rest = b""
        try:
            async with aclosing(parts):
                async for part in parts:
                    whole, end, rest = (rest + part).rpartition(b"\n")
                    yield whole + end
        except StreamClosedError:
            raise self._silent("The controller ended while it worked on this.") from None

    def _late(self, timeout: float, *, sent: bool) -> Unavailable:
        if sent:
            return self._silent(f"The controller did not answer in {timeout:.0f} s.")
        return Unavailable(
            f"The controller could not be reached in {timeout:.0f} s; nothing was sent.",
            hint=f"Try again; see {self._upstream.log}.",
        )

    def _silent(self, message: str) -> Unavailable:
        return Unavailable(
            message, hint=f"Look at the list before you ask again; see {self._upstream.log}."
        )

    def _request(self, asked: Asked) -> tuple[str, str, HTTPHeaders, bytes]:
        """Return method, target, headers and body. Raises NoServer."""
        target = self._upstream.root + asked.route.path.format(**asked.args)
        if asked.query:
            target += f"?{asked.query}"
        headers = self._upstream.headers()
        if asked.etags:
            headers["If-None-Match"] = asked.etags
        return asked.route.method, target, headers, asked.body
