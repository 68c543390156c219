"""The HTTP proxy: both bodies are streamed, each limited by its reader's speed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

from tornado import web
from tornado.httputil import HTTPHeaders, ResponseStartLine
from tornado.iostream import IOStream, StreamClosedError

from ...errors import GpuQuotaError
from ...http1 import ANY_SIZE
from ..jupyter_mount import guard
from .byte_copy import copy_bytes
from .protocol.body import Body, body_of, head
from .protocol.headers import to_browser, to_session
from .protocol.origins import is_own
from .request import Destination, IngressHandler, inner_path
from .response import LARGE, ProxyResponse
from .upload import NO_RESPONSE, RawResponse, relay_upload
from .user_activity import is_user_activity, saved_file

_READS = ("GET", "HEAD", "OPTIONS")


@web.stream_request_body
class HttpProxy(IngressHandler):
    """The handler that forwards a request to a session and returns the response.

    The caller is checked on the headers, before the first byte of the body. A refused body is read
    to its end: a browser shows no response if the connection is closed while it is sending.
    """

    _destination: Destination
    _response: ProxyResponse
    _body = Body()
    _upstream: IOStream | None = None
    _reading: asyncio.Future[None] | None = None
    _refusal: GpuQuotaError | None = None
    _saved = ""

    async def prepare(self) -> None:  # type: ignore[override]
        """Check the caller and start to forward a request with a body."""
        await super().prepare()
        if not self._finished:
            self.demand_login()
        self._body = body_of(self.request.headers)
        if self._finished or not self._body:  # finished: redirected to the login page
            return
        await self.check(self._action)
        cast("Any", self.request.connection).set_max_body_size(ANY_SIZE)
        try:
            await self._begin()
        except GpuQuotaError as error:
            await self._refuse(error)

    @web.authenticated
    def demand_login(self) -> None:
        """Redirect unauthenticated callers to the login page, or raise HTTPError 403.

        Jupyter's own `prepare` does so only if `allow_unauthenticated_access` is off.
        """

    def check_xsrf_cookie(self) -> None:
        """Accept a browser's report of a same-host page in place of Jupyter's XSRF token.

        Programs on a session's other ports do not know that token.
        """
        if not ("port" in self.path_kwargs and is_own(self.request.headers)):
            super().check_xsrf_cookie()

    def offer_xsrf(self) -> None:
        """Set JupyterLab's XSRF cookie for a session's page that was opened by a link."""
        self.xsrf_token  # noqa: B018 (reading it sets the cookie)

    async def data_received(self, chunk: bytes) -> None:
        """Forward a part of the body and wait until it is sent."""
        if self._upstream and not self._upstream.closed():  # else the session has responded early
            await _write(self._upstream, self._body.frame(chunk))

    async def proxy(self, **_: str) -> None:
        """Finish the request and forward the response."""
        if self._refusal:
            raise self._refusal
        self.check_site()
        if await self.redirects():
            return
        self._report_activity()
        if self._action == "read" and "text/html" in self.request.headers.get("Accept", ""):
            self.offer_xsrf()
        if self._reading:
            if self._upstream and self._body.end:
                await _write(self._upstream, self._body.end)
            await self._reading
        else:
            await self._send()
        await self._complete()
        self._report_saved()

    def on_connection_close(self) -> None:
        """Close the connection to the session when the browser has gone."""
        super().on_connection_close()
        if self._upstream:
            self._upstream.close()

    async def write_head(self, start: ResponseStartLine, headers: HTTPHeaders, rest: int) -> None:
        """Set status and headers; send them at once if the body may take long."""
        self.set_status(start.code, start.reason)
        for name, value in self._translate(headers).get_all():
            self.add_header(name, value)
        if not rest and headers.get("Content-Length", "0") == "0":
            await self.flush()

    async def write_body(self, part: bytes) -> None:
        """Send a part of the response."""
        self.write(part)
        await self.flush()

    def compute_etag(self) -> str | None:
        """Return None: ETags are the session's."""
        return None

    @property
    def _action(self) -> str:
        return "read" if self.request.method in _READS else "execute"

    def _translate(self, headers: HTTPHeaders) -> HTTPHeaders:
        return to_browser(headers, self._destination.outside, self._destination.endpoint)

    async def _begin(self) -> None:
        """Send the head of a request with a body."""
        first = self._head(await self.resolve(**self.path_kwargs))
        self._upstream = upstream = await self.context.borrow(self._destination)
        await _write(upstream, first)
        method = str(self.request.method)
        if self._body.size >= LARGE and self._can_bypass:
            expects = "Expect" in self.request.headers
            browser = RawResponse(self.detach(), self._translate)
            if expects:
                await browser.write_body(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._report_activity()
            await relay_upload(browser, upstream, method, self._body.size)
            self._report_saved()
            self.note_end(browser.status)
            return
        self._response = ProxyResponse(upstream, method, self, bypass=False)
        self._reading = asyncio.ensure_future(self._response.read())

    def _report_activity(self) -> None:
        port = int(self.path_kwargs.get("port") or 0)
        inner = inner_path(self.request.path, self.path_kwargs["session"])
        call = (str(self.request.method), inner, port)
        self._saved = saved_file(*call)
        if not self._saved and is_user_activity(*call):
            self.note_activity()

    def _report_saved(self) -> None:
        """Report a saved notebook, now that it is on disk."""
        if self._saved:
            self.note_activity(self._saved)

    async def _refuse(self, error: GpuQuotaError) -> None:
        """Send an error before a large body, or store it to send after a small one."""
        if not (self._can_bypass and (self._body.chunked or self._body.size >= LARGE)):
            self._refusal = error
            return
        browser = RawResponse(self.detach(), self._translate)
        try:
            await browser.refuse(error)
            await browser.linger()
        finally:
            browser.stream.close()
        self.note_end(browser.status)

    async def _send(self) -> None:
        """Send a request without a body; repeat a read if a reused connection was dead."""
        first = self._head(await self.resolve(**self.path_kwargs))
        method = str(self.request.method)
        for connect in (self.context.borrow, self.context.connect):
            self._upstream = upstream = await connect(self._destination)
            await _write(upstream, first)
            self._response = ProxyResponse(upstream, method, self, bypass=self._can_bypass)
            await self._response.read()
            if self._response.began or self._response.fault or self._action == "execute":
                return

    def _head(self, destination: Destination) -> bytes:
        """Store the destination and return the request's head."""
        self._destination = destination
        headers = to_session(self.request.headers, destination.outside, destination.endpoint)
        self._body.delimit(headers)
        return head(f"{self.request.method} {destination.target} HTTP/1.1", headers)

    async def _complete(self) -> None:
        """End the response as the session did, and reuse the connection if possible."""
        response, upstream = self._response, cast("IOStream", self._upstream)
        self._upstream = None  # from now on it may serve another request
        if response.began and response.complete and response.reusable:
            self.context.give_back(self._destination, upstream)
            await self._finish_quietly()
            return
        try:
            if not response.began:
                raise response.fault or NO_RESPONSE
            if response.rest:
                await self._bypass(upstream, response.rest)
            elif response.complete:
                await self._finish_quietly()
            else:  # so that the browser does not take a part for the whole
                self.detach().close()
        finally:
            upstream.close()

    async def _finish_quietly(self) -> None:
        with suppress(StreamClosedError):  # the browser has left
            await self.finish()

    async def _bypass(self, upstream: IOStream, rest: int) -> None:
        """Copy the rest of the body, past tornado's HTTP, and close the browser's connection."""
        self.set_header("Connection", "close")
        first = f"HTTP/1.1 {self.get_status()} {self._reason}"
        browser = self.detach()
        try:
            await browser.write(head(first, self._headers))
            await copy_bytes(upstream, browser, rest)
        except StreamClosedError:
            pass  # either side hung up; closing tells the other
        finally:
            browser.close()
        self.note_end(self.get_status())

    @property
    def _can_bypass(self) -> bool:
        """Whether bodies may go past tornado's HTTP: for HTTP/1.1 without TLS."""
        stream = cast("Any", self.request.connection).stream
        return self.request.version == "HTTP/1.1" and type(stream) is IOStream

    # Reading and executing take different permissions; all verbs are forwarded alike.
    get = head = options = guard("read", proxy)
    post = put = patch = delete = guard("execute", proxy)


async def _write(upstream: IOStream, data: bytes) -> None:
    """Write to a session; a closed connection is noticed when the response is read."""
    with suppress(StreamClosedError):
        await upstream.write(data)
