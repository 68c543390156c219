"""Handlers made from the route table: one class per path, one method per route.

They are mounted in Jupyter, which authenticates (`jupyter_mount`), and in the controller, where the
socket (`unix_mount`) or a bearer token (`https_mount`) does.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Any

import msgspec
from tornado import web
from tornado.iostream import StreamClosedError

from ..core.access import NOBODY, Caller
from ..errors import GpuQuotaError, NotFound
from ..model.routes.table import Route
from ..model.struct import problem_of
from .decoding import fits, own_query
from .dispatch import ApiRequest, ApiResponse, Dispatcher
from .statuses import FaultLogging, error_raised

BODY_LIMIT = 1024 * 1024
"""The most bytes of a request's body."""

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

Verb = Callable[..., Awaitable[None]]
Guard = Callable[[str, Verb], Verb]
"""Returns a verb that checks a permission first."""


class Api(FaultLogging):
    """The handler that reads a request, dispatches it, and writes the response or the error.

    A body over the limit is read to its end and dropped: if the connection were closed while the
    client sends, the client would not receive the answer.
    """

    def initialize(self, dispatcher: Dispatcher) -> None:
        """Set what the mount passes to every handler."""
        self._dispatcher = dispatcher
        self._received = bytearray()
        self._too_large = False
        self._writing: asyncio.Future[None] | None = None
        self._working: asyncio.Future[ApiResponse] | None = None

    def data_received(self, chunk: bytes) -> None:
        """Collect the body up to the limit."""
        self._too_large |= len(self._received) + len(chunk) > BODY_LIMIT
        if not self._too_large:
            self._received += chunk

    def caller(self) -> Caller:
        """Return the caller; NOBODY if another process identifies the caller."""
        return NOBODY

    async def answer(self, route: Route, args: dict[str, str]) -> None:
        """Answer one request of a route."""
        if self._too_large:
            raise web.HTTPError(413)
        for name, value in args.items():
            if not fits(name, value):
                raise NotFound(f"{value!r} not found.", hint="Look in the list for its name.")
        request = ApiRequest(
            route=route,
            caller=self.caller(),
            args=args,
            query=own_query(self.request.query),
            body=bytes(self._received),
            etags=self.request.headers.get("If-None-Match", ""),
        )
        answer = await self.seen(route, await self._dispatched(request))
        if answer.lines is None:
            self._write_answer(answer)
        else:
            await self._write_lines(answer.status, answer.lines)

    async def _dispatched(self, request: ApiRequest) -> ApiResponse:
        if not request.route.stops:
            return await self._dispatcher.dispatch(request)
        self._working = asyncio.ensure_future(self._dispatcher.dispatch(request))
        try:
            await asyncio.wait([self._working])
        finally:
            self._working.cancel()
        if self._working.cancelled():
            raise web.Finish
        return self._working.result()

    def on_connection_close(self) -> None:
        """Stop writing, and working where the route says so."""
        super().on_connection_close()
        for each in (self._writing, self._working):
            if each:
                each.cancel()

    async def seen(self, route: Route, answer: ApiResponse) -> ApiResponse:
        """Return a response as the user may see it."""
        return answer

    def _write_answer(self, answer: ApiResponse) -> None:
        self.set_status(answer.status)
        self.set_header("Cache-Control", "no-cache")
        if answer.etag:
            self.set_header("ETag", answer.etag)
        if answer.retry:
            self.set_header("Retry-After", str(answer.retry))
        self.set_header("Content-Type", JSON)
        self.finish(answer.body or None)

    async def _write_lines(self, status: int, lines: AsyncGenerator[bytes]) -> None:
        self.set_status(status)
        self.set_header("Cache-Control", "no-cache")
        self.set_header("Content-Type", NDJSON)
        self.set_header("X-Accel-Buffering", "no")  # nginx would collect them
        self._writing = asyncio.ensure_future(self._pass_on(lines))
        try:
            await asyncio.wait([self._writing])
        finally:
            self._writing.cancel()
        if not self._writing.cancelled():
            self._writing.result()

    async def _pass_on(self, lines: AsyncGenerator[bytes]) -> None:
        """Write each line at once; an error is the last one."""
        with suppress(StreamClosedError):  # the client has disconnected
            try:
                async with aclosing(lines):
                    async for line in lines:
                        self.write(line)
                        await self.flush()
            except GpuQuotaError as error:
                self.write(msgspec.json.encode({"problem": problem_of(error)}) + b"\n")

    def compute_etag(self) -> str | None:
        """Return None: the dispatcher sets ETags, from revisions."""
        return None

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write any error as a `Problem`; our own bugs without details."""
        raised = kwargs.get("exc_info", (None, None, None))[1]
        status, error = error_raised(status_code, raised)
        body = msgspec.json.encode(problem_of(error))
        self._write_answer(ApiResponse(status, body, retry=math.ceil(error.wait)))


def make_handlers(
    base: type[Api], routes: Iterable[Route], guard: Guard
) -> list[tuple[str, type[Api]]]:
    """Return a pattern, relative to the root of the API, and a handler class for each path.

    The last pattern matches every other path, and responds with NotFound.
    """
    paths: dict[str, dict[str, Verb]] = {}
    for row in routes:
        verb = guard(row.permission, _make_verb(row))
        paths.setdefault(row.path, {})[row.method.lower()] = verb
    made = [(_pattern(path), _make_class(base, path, verbs)) for path, verbs in paths.items()]
    nowhere = {
        method.lower(): guard("read" if method == "GET" else "write", _answer_not_found)
        for method in METHODS
    }
    return [*made, (r"(?:/.*)?", _make_class(base, "nowhere", nowhere))]


def _make_verb(row: Route) -> Verb:
    async def verb(self: Api, **args: str) -> None:
        await self.answer(row, args)

    verb.__name__ = row.name
    return verb


async def _answer_not_found(self: Api) -> None:
    raise web.HTTPError(404)


def _make_class(base: type[Api], path: str, verbs: dict[str, Verb]) -> type[Api]:
    name = "".join(word.capitalize() for word in re.findall(r"\w+", path)) + "Handler"
    made: type[Api] = web.stream_request_body(type(name, (base,), dict(verbs)))
    return made


def _pattern(path: str) -> str:
    return re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]*)", path)


JSON = "application/json"
NDJSON = "application/x-ndjson"
"""JSON documents, one per line, each sent as soon as it is ready."""
