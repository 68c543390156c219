"""Relay WebSockets: the handshake is checked, then bytes pass both ways as they are.

So subprotocols, compression, pings and close codes are between browser and session alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.websocket import WebSocketMixin
from tornado import web
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream, StreamClosedError

from ...api.handlers import Verb
from ..http1 import client
from ..jupyter_mount import RESOURCE
from .body import head
from .carry import SILENT
from .deeds import Counts, listener
from .frames import Frames
from .headers import to_browser, to_session
from .pump import CHUNK
from .visit import Visit, Visitor, inner_path

_UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"}


class Handshake(HTTPMessageDelegate):
    """Be a session's answer to an upgrade; after 101 the line is left to whoever asked."""

    def __init__(self, line: IOStream) -> None:
        self._connection = client(line)
        self.status = 0
        self.headers = HTTPHeaders()

    async def read(self) -> None:
        """Read the answer."""
        self._connection.finish()
        with suppress(StreamClosedError):
            await self._connection.read_response(self)

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Note status and headers, and read nothing more."""
        start = cast("ResponseStartLine", start_line)
        if 100 <= start.code < 200 and start.code != 101:
            return
        self.status, self.headers = start.code, headers
        self._connection.detach()


class SocketRelay(Visitor):
    """Pass a WebSocket through."""

    kind = "websocket"

    async def prepare(self, **_: Any) -> None:
        """Check who asks; a WebSocket cannot follow anyone to the login page."""
        await super().prepare(_redirect_to_login=False)

    async def enter(self, **_: str) -> None:
        """Have the session shake hands, and pass on what follows."""
        if not WebSocketMixin.check_origin(self, self.request.headers.get("Origin")):
            raise web.HTTPError(403, "A page of another origin asked for this.")
        self.check_site()
        visit = await self.visit(**self.path_kwargs)
        line = await self.ways.connect(visit)
        try:
            await self._upgrade(visit, line)
        finally:
            line.close()

    get: Verb = ws_authenticated(authorized("execute", RESOURCE)(enter))

    async def _upgrade(self, visit: Visit, line: IOStream) -> None:
        headers = to_session(self.request.headers, visit.outside, visit.endpoint)
        headers.update(_UPGRADE)
        with suppress(StreamClosedError):
            await line.write(head(f"GET {visit.target} HTTP/1.1", headers))
        hands = Handshake(line)
        await hands.read()
        if not hands.status:
            raise SILENT
        if hands.status != 101:
            raise web.HTTPError(hands.status, "The session refused the WebSocket.")
        kept = to_browser(hands.headers, visit.outside, visit.endpoint)
        kept.update(_UPGRADE)
        browser = self.detach()
        browser.set_nodelay(True)
        line.set_nodelay(True)
        self.note_end(101)
        try:
            with suppress(StreamClosedError):
                await browser.write(head("HTTP/1.1 101 Switching Protocols", kept))
                keep, counts = listener(inner_path(self.request.path, visit.session), visit.port)
                await tunnel(browser, line, self.note_activity, counts, keep)
        finally:
            browser.close()


async def tunnel(
    browser: IOStream, line: IOStream, note: Callable[[], None], counts: Counts, keep: int
) -> None:
    """Pass bytes both ways until one side hangs up; `note` what the browser says that `counts`.

    That is judged by the first `keep` bytes of each message.
    """
    frames = Frames(keep)

    def look(part: bytes) -> None:
        if any(counts(begin) for begin in frames.messages(part)):
            note()

    flows = [
        asyncio.ensure_future(_flow(browser, line, look)),
        asyncio.ensure_future(_flow(line, browser, None)),
    ]
    try:
        await asyncio.wait(flows, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for flow in flows:
            flow.cancel()
        await asyncio.gather(*flows, return_exceptions=True)


async def _flow(source: IOStream, target: IOStream, look: Callable[[bytes], None] | None) -> None:
    """Copy until one side hangs up, reading no faster than the other side takes it."""
    with suppress(StreamClosedError):
        while True:
            part = await source.read_bytes(CHUNK, partial=True)
            if look:
                look(part)
            await target.write(part)
