"""The WebSocket proxy: the handshake is checked, then bytes are copied unchanged both ways.

Subprotocols, compression, pings and close codes are negotiated by browser and session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
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
from ...http1 import client
from ...kernels.channels.websocket import RELAY
from ..jupyter_mount import RESOURCE
from .byte_copy import CHUNK
from .protocol.body import head
from .protocol.headers import to_browser, to_session
from .protocol.message_sniffer import MessageSniffer
from .protocol.response_head import NOT_HTTP, bad_answer
from .replay.handshake import acceptance, offered_subprotocols, without_extensions
from .replay.kernel_channels import KernelKey
from .request import Destination, IngressHandler, inner_path
from .upload import NO_RESPONSE
from .user_activity import IsActivity, activity_filter, kernel_of

UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket"}


def is_upgrade(headers: HTTPHeaders) -> bool:
    """Return whether a request asks for a WebSocket."""
    return headers.get("Upgrade", "").lower() == "websocket"


class Handshake(HTTPMessageDelegate):
    """A session's response to an upgrade; after 101 the connection is the caller's."""

    def __init__(self, upstream: IOStream) -> None:
        self._connection = client(upstream)
        self.status = 0
        self.headers = HTTPHeaders()

    async def read(self) -> None:
        """Read the response. Raises Unavailable without one, BadAnswer if it is malformed."""
        self._connection.finish()
        try:
            await self._connection.read_response(self)
        except StreamClosedError:
            raise NO_RESPONSE from None
        if not self.status:
            raise bad_answer(NOT_HTTP)

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Store status and headers and stop reading."""
        start = cast("ResponseStartLine", start_line)
        if 100 <= start.code < 200 and start.code != 101:
            return
        self.status, self.headers = start.code, headers
        self._connection.detach()


class WebSocketProxy(IngressHandler):
    """The handler that proxies a WebSocket."""

    kind = "websocket"

    async def prepare(self, **_: Any) -> None:
        """Check the caller; a WebSocket cannot be redirected to the login page."""
        await super().prepare(_redirect_to_login=False)

    async def open_tunnel(self, **_: str) -> None:
        """Forward the handshake, then all data."""
        self.check_page()
        self.check_site()
        destination = await self.resolve(**self.path_kwargs)
        path = inner_path(self.request.path, destination.session)
        kernel = kernel_of(path, destination.port)
        if kernel and not self.get_query_argument(RELAY, ""):  # the session keeps what relays miss
            await self._open_kernel_channel(destination, kernel)
            return
        upstream = await self.context.connect(destination)
        try:
            response = await self._handshake(destination, upstream, self.request.headers)
            keep, is_activity = activity_filter(path, destination.port)
            async with self._browser() as browser:
                await browser.write(_switching(response))
                await tunnel(browser, upstream, self.note_activity, is_activity, keep)
        finally:
            upstream.close()

    def check_page(self) -> None:
        """Raise HTTPError 403 unless the page is of JupyterLab's origin or an allowed one."""
        if not WebSocketMixin.check_origin(self, self.request.headers.get("Origin")):
            raise web.HTTPError(403, "Requests from pages of other origins are not allowed.")

    get: Verb = ws_authenticated(authorized("execute", RESOURCE)(open_tunnel))

    async def _open_kernel_channel(self, destination: Destination, kernel: str) -> None:
        """Resume the channel of an earlier page, or open one."""
        user, client = self.current_user.username, self.get_query_argument("session_id", "")
        key = KernelKey(user, destination.session, destination.endpoint.authority, kernel)
        channel = self.context.kernels.resume(
            key, client, offered_subprotocols(self.request.headers)
        )
        if channel:
            response = acceptance(self.request.headers, channel.protocol)
        else:
            upstream = await self.context.connect(destination)
            try:
                request = without_extensions(self.request.headers)
                response = await self._handshake(destination, upstream, request)
            except BaseException:
                upstream.close()
                raise
            protocol = response.get("Sec-WebSocket-Protocol", "")
            channel = self.context.kernels.open(key, upstream, client, protocol)
        _, is_activity = activity_filter(f"/api/kernels/{kernel}/channels", 0)

        def report(begin: bytes | None) -> None:
            if is_activity(begin):
                self.note_activity()

        async with self._browser() as browser:
            channel.attach(browser, _switching(response), client)
            await channel.serve(browser, report)

    async def _handshake(
        self, destination: Destination, upstream: IOStream, request: HTTPHeaders
    ) -> HTTPHeaders:
        """Return the headers of the session's acceptance."""
        headers = to_session(request, destination.outside, destination.endpoint)
        headers.update(UPGRADE)
        with suppress(StreamClosedError):
            await upstream.write(head(f"GET {destination.target} HTTP/1.1", headers))
        handshake = Handshake(upstream)
        await handshake.read()
        if handshake.status < 400 and handshake.status != 101:
            raise bad_answer(f"responded to a WebSocket with status {handshake.status}")
        if handshake.status != 101:
            raise web.HTTPError(handshake.status, "The session rejected the WebSocket.")
        upstream.set_nodelay(True)
        return to_browser(handshake.headers, destination.outside, destination.endpoint)

    @asynccontextmanager
    async def _browser(self) -> AsyncGenerator[IOStream]:
        """Detach the browser's connection, and close it at the end."""
        browser = self.detach()
        browser.set_nodelay(True)
        self.note_end(101)
        try:
            with suppress(StreamClosedError):
                yield browser
        finally:
            browser.close()


def _switching(headers: HTTPHeaders) -> bytes:
    headers.update(UPGRADE)
    return head("HTTP/1.1 101 Switching Protocols", headers)


async def tunnel(
    browser: IOStream,
    upstream: IOStream,
    note: Callable[[], None],
    is_activity: IsActivity,
    keep: int,
) -> None:
    """Copy bytes in both directions until one side hangs up.

    `note` is called for messages of the browser whose first `keep` bytes are a user's activity.
    """
    frames = MessageSniffer(keep)

    def observe(part: bytes) -> None:
        if any(is_activity(begin) for begin in frames.messages(part)):
            note()

    copies = [
        asyncio.ensure_future(_copy(browser, upstream, observe)),
        asyncio.ensure_future(_copy(upstream, browser, None)),
    ]
    try:
        await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for copy in copies:
            copy.cancel()
        await asyncio.gather(*copies, return_exceptions=True)


async def _copy(
    source: IOStream, target: IOStream, observe: Callable[[bytes], None] | None
) -> None:
    """Copy until one side hangs up; reading is limited by the other side's speed."""
    with suppress(StreamClosedError):
        while True:
            part = await source.read_bytes(CHUNK, partial=True)
            if observe:
                observe(part)
            await target.write(part)
