"""Relay HTTP: both bodies are streamed, each as fast as its reader reads."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

from tornado import web
from tornado.httputil import HTTPHeaders, ResponseStartLine
from tornado.iostream import IOStream, StreamClosedError

from ...errors import GpuQuotaError
from ..http1 import ANY_SIZE
from ..jupyter_mount import guard
from .answer import LARGE, Answer
from .body import Body, body_of, head
from .carry import SILENT, Bare, carry
from .deeds import caused, saved_file
from .headers import to_browser, to_session
from .origins import is_own
from .pump import is_plain, pump
from .visit import Visit, Visitor, inner_path

_READS = ("GET", "HEAD", "OPTIONS")


@web.stream_request_body
class Relay(Visitor):
    """Pass a request on to a session and its answer back.

    Who asks is checked when the headers are there, before the first byte of a body. A body that
    nobody wants is read to its end: a connection closed on a browser that still sends never
    shows it the answer.
    """

    _visit: Visit
    _answer: Answer
    _body = Body()
    _line: IOStream | None = None
    _reading: asyncio.Future[None] | None = None
    _refusal: GpuQuotaError | None = None
    _saved = ""

    async def prepare(self) -> None:  # type: ignore[override]
        """Check who asks, and begin to send a request that has a body."""
        await super().prepare()
        if not self._finished:
            self.demand_login()
        self._body = body_of(self.request.headers)
        if self._finished or not self._body:  # finished: on the way to the login page
            return
        await self.check(self._action)
        cast("Any", self.request.connection).set_max_body_size(ANY_SIZE)
        try:
            await self._begin()
        except GpuQuotaError as error:
            await self._refuse(error)

    def check_xsrf_cookie(self) -> None:
        """Take a browser's word that a page of this host asks, as good as Jupyter's XSRF token.

        Programs on a session's other ports know nothing of that token.
        """
        if not ("port" in self.path_kwargs and is_own(self.request.headers)):
            super().check_xsrf_cookie()

    async def data_received(self, chunk: bytes) -> None:
        """Pass on a part of the body, and take no further before it was sent."""
        if self._line and not self._line.closed():  # else it has answered without reading it all
            await _write(self._line, self._body.frame(chunk))

    async def relay(self, **_: str) -> None:
        """End the request and pass on the answer."""
        if self._refusal:
            raise self._refusal
        self.check_site()
        if self.leads_elsewhere():
            return
        self._note_begin()
        if self._action == "read" and "text/html" in self.request.headers.get("Accept", ""):
            # A session's page sends JupyterLab's XSRF token; whoever came by a link lacks it yet.
            self.xsrf_token  # noqa: B018 (asking for it sets the cookie)
        if self._reading:
            if self._line and self._body.end:
                await _write(self._line, self._body.end)
            await self._reading
        else:
            await self._ask()
        await self._complete()
        self._note_saved()

    def on_connection_close(self) -> None:
        """Tell the session that nobody listens any more."""
        super().on_connection_close()
        if self._line:
            self._line.close()

    async def take_head(self, start: ResponseStartLine, headers: HTTPHeaders, rest: int) -> None:
        """Take status and headers; send them at once where a body may be long in coming."""
        self.set_status(start.code, start.reason)
        for name, value in self._translate(headers).get_all():
            self.add_header(name, value)
        if not rest and headers.get("Content-Length", "0") == "0":
            await self.flush()

    async def take_body(self, part: bytes) -> None:
        """Send a part of the answer."""
        self.write(part)
        await self.flush()

    def compute_etag(self) -> str | None:
        """Leave ETags to the session."""
        return None

    @property
    def _action(self) -> str:
        return "read" if self.request.method in _READS else "write"

    def _translate(self, headers: HTTPHeaders) -> HTTPHeaders:
        return to_browser(headers, self._visit.outside, self._visit.endpoint)

    async def _begin(self) -> None:
        """Send the head of a request whose body follows."""
        first = self._head(await self.visit(**self.path_kwargs))
        self._line = line = await self.ways.line(self._visit)
        await _write(line, first)
        method = str(self.request.method)
        if self._body.size >= LARGE and self._can_move:
            expects = "Expect" in self.request.headers
            browser = Bare(self.detach(), self._translate)
            if expects:
                await browser.take_body(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._note_begin()
            await carry(browser, line, method, self._body.size)
            self._note_saved()
            self.note_end(browser.status)
            return
        self._answer = Answer(line, method, self, move=False)
        self._reading = asyncio.ensure_future(self._answer.read())

    def _note_begin(self) -> None:
        port = int(self.path_kwargs.get("port") or 0)
        inner = inner_path(self.request.path, self.path_kwargs["session"])
        deed = (str(self.request.method), inner, port)
        self._saved = saved_file(*deed)
        if not self._saved and caused(*deed):
            self.note_activity()

    def _note_saved(self) -> None:
        """Note a notebook that was saved, now that it is on disk."""
        if self._saved:
            self.note_activity(self._saved)

    async def _refuse(self, error: GpuQuotaError) -> None:
        """Say at once why a body that may be long in coming is not wanted; else, after it."""
        if not (self._can_move and (self._body.chunked or self._body.size >= LARGE)):
            self._refusal = error
            return
        browser = Bare(self.detach(), self._translate)
        try:
            await browser.refuse(error)
        finally:
            browser.close()
        self.note_end(browser.status)

    async def _ask(self) -> None:
        """Send a request without a body; one that only reads again where a kept line was dead."""
        first = self._head(await self.visit(**self.path_kwargs))
        method = str(self.request.method)
        for connect in (self.ways.line, self.ways.connect):
            self._line = line = await connect(self._visit)
            await _write(line, first)
            self._answer = Answer(line, method, self, move=self._can_move)
            await self._answer.read()
            if self._answer.began or self._action == "write":
                return

    def _head(self, visit: Visit) -> bytes:
        """Note where the request goes, and return its head."""
        self._visit = visit
        headers = to_session(self.request.headers, visit.outside, visit.endpoint)
        self._body.delimit(headers)
        return head(f"{self.request.method} {visit.target} HTTP/1.1", headers)

    async def _complete(self) -> None:
        """End the answer the way the session did, and keep the line if it is good for more."""
        answer, line = self._answer, cast("IOStream", self._line)
        self._line = None  # from now on it may be another request's
        if answer.began and answer.complete and answer.reusable:
            self.ways.give_back(self._visit, line)
            await self._finish_quietly()
            return
        try:
            if not answer.began:
                raise SILENT
            if answer.rest:
                await self._move(line, answer.rest)
            elif answer.complete:
                await self._finish_quietly()
            else:  # the browser must not take a part for the whole
                self.detach().close()
        finally:
            line.close()

    async def _finish_quietly(self) -> None:
        with suppress(StreamClosedError):  # the browser has left
            await self.finish()

    async def _move(self, line: IOStream, rest: int) -> None:
        """Move the rest past tornado; the browser's connection ends with it."""
        self.set_header("Connection", "close")
        first = f"HTTP/1.1 {self.get_status()} {self._reason}"
        browser = self.detach()
        try:
            await browser.write(head(first, self._headers))
            await pump(line, browser, rest)
        except StreamClosedError:
            pass  # either side hung up; the other sees it now
        finally:
            browser.close()
        self.note_end(self.get_status())

    @property
    def _can_move(self) -> bool:
        """Whether bytes may go past tornado to the browser: plain, and HTTP/1.1."""
        stream = cast("Any", self.request.connection).stream
        return self.request.version == "HTTP/1.1" and is_plain(stream)

    # Read from the session, or have it do something: all verbs are one relay.
    get = head = options = guard("read", relay)
    post = put = patch = delete = guard("write", relay)


async def _write(line: IOStream, data: bytes) -> None:
    """Write to a session; that it has hung up shows when its answer is read."""
    with suppress(StreamClosedError):
        await line.write(data)
