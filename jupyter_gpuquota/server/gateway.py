"""Forward API requests to the controller over pooled connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar
from urllib.parse import quote

from tornado.httputil import HTTPHeaders
from tornado.iostream import IOStream, StreamClosedError

from ..api.dispatch import ApiRequest, ApiResponse
from ..errors import OutcomeUnknown, Unavailable
from ..http1 import fetch, fetch_parts
from .connections import Connections
from .upstreams import Upstream, check_token

T = TypeVar("T")

Probe = Callable[[], Awaitable[None]]
"""Send the controller a cheap request. Raises Unavailable if it does not respond."""

_VALID = 5.0
"""Seconds for which a failed probe is trusted; after that the next request probes again."""


class LivenessMonitor:
    """Watches pending responses; after `patience` seconds without one, it probes."""

    def __init__(self, probe: Probe, patience: float = 10.0) -> None:
        self._probe = probe
        self._patience = patience
        self._probing: asyncio.Future[None] | None = None
        self._failure: Unavailable | None = None
        self._since = 0.0

    async def admit(self) -> None:
        """Return at once unless the last probe failed. Raises Unavailable."""
        if self._failure:
            if time.monotonic() - self._since < _VALID:
                raise _copy_of(self._failure)
            await self._check()

    async def watch(self, response: Coroutine[Any, Any, T]) -> T:
        """Return a response; probe the controller while it takes long.

        Raises what awaiting the response raises, and Unavailable if a probe fails.
        """
        waiting = asyncio.ensure_future(response)
        try:
            while not (await asyncio.wait([waiting], timeout=self._patience))[0]:
                await self._check()
            return waiting.result()
        finally:
            waiting.cancel()

    async def _check(self) -> None:
        if self._probing is None or self._probing.done():
            self._probing = asyncio.ensure_future(self._run_probe())
        await asyncio.shield(self._probing)
        if self._failure:
            raise _copy_of(self._failure)

    async def _run_probe(self) -> None:
        try:
            await self._probe()
        except Unavailable as error:
            self._failure, self._since = error, time.monotonic()
        else:
            self._failure = None


def _copy_of(error: Unavailable) -> Unavailable:
    """Return the same error for another request, each with its own traceback."""
    return type(error)(error.message, hint=error.hint)


_CONTROLLER = "controller"
"""The one peer of a gateway."""


class Gateway:
    """A dispatcher that forwards to a controller.

    A controller that has not responded after `patience` seconds is probed.
    """

    def __init__(self, upstream: Upstream, patience: float = 10.0) -> None:
        self._upstream = upstream
        self._connections = Connections()
        self._liveness = LivenessMonitor(upstream.probe, patience)

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Forward a request; a read is sent again if the controller exits meanwhile.

        Raises:
            NoServer: no controller can be reached. Other errors of connecting are raised, too.
            Unavailable: the controller exited or stopped responding.
            OutcomeUnknown: the same, and a change that was sent may have been made.
        """
        try:
            return await self._send(request)
        except StreamClosedError:
            if _changes(request):
                raise _outcome_unknown(self._exited()) from None
        try:
            return await self._send(request)
        except StreamClosedError:
            raise self._exited() from None

    def close(self) -> None:
        """Close all connections; a search in progress is not awaited."""
        self._connections.close()
        self._upstream.close()

    async def _send(self, request: ApiRequest) -> ApiResponse:
        timeout = request.route.timeout
        stream: IOStream | None = None
        try:
            # Not wait_for: before Python 3.12 it loses a cancellation that comes with the response.
            async with asyncio.timeout(timeout):
                await self._liveness.admit()
                stream = await self._connections.borrow(_CONTROLLER, self._upstream.connect)
                if request.route.streams:
                    return await self._liveness.watch(self._follow(stream, request))
                response = await self._liveness.watch(fetch(stream, *self._message(request)))
        except BaseException as error:
            if stream:
                stream.close()
            if isinstance(error, TimeoutError):
                error = self._timed_out(timeout, sent=stream is not None)
            if isinstance(error, Unavailable) and stream and _changes(request):
                error = _outcome_unknown(error)
            raise error from None
        if response.reusable:
            self._connections.give_back(_CONTROLLER, stream)
        else:
            stream.close()
        check_token(response)
        etag = response.headers.get("ETag", "")
        retry = int(response.headers.get("Retry-After", "0"))
        return ApiResponse(response.status, bytes(response.body), etag, retry)

    async def _follow(self, stream: IOStream, request: ApiRequest) -> ApiResponse:
        """Return a response that streams lines, or an error that comes at once."""
        head, parts = await fetch_parts(stream, *self._message(request))
        if head.status != request.route.status:
            body = b"".join([part async for part in parts])
            check_token(head)
            return ApiResponse(head.status, body)
        return ApiResponse(head.status, lines=self._lines(parts))

    async def _lines(self, parts: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        rest = b""
        try:
            async with aclosing(parts):
                async for part in parts:
                    whole, end, rest = (rest + part).rpartition(b"\n")
                    yield whole + end
        except StreamClosedError:
            raise self._exited() from None

    def _timed_out(self, timeout: float, *, sent: bool) -> Unavailable:
        said = f"The controller could not be reached within {timeout:.0f} s; nothing was sent."
        if sent:
            said = f"The controller did not respond within {timeout:.0f} s."
        return Unavailable(said, hint=f"Try again; see {self._upstream.log}.")

    def _exited(self) -> Unavailable:
        return Unavailable(
            "The controller exited during this request.", hint=f"See {self._upstream.log}."
        )

    def _message(self, request: ApiRequest) -> tuple[str, str, HTTPHeaders, bytes]:
        """Return method, target, headers and body. Raises NoServer."""
        args = {name: quote(value, safe="") for name, value in request.args.items()}
        target = self._upstream.root + request.route.path.format(**args)
        if request.query:
            target += f"?{request.query}"
        headers = self._upstream.headers()
        if request.etags:
            headers["If-None-Match"] = request.etags
        return request.route.method, target, headers, request.body


def _changes(request: ApiRequest) -> bool:
    return request.route.method != "GET"


def _outcome_unknown(error: Unavailable) -> OutcomeUnknown:
    """Return the error for a change that was sent and may have been made."""
    return OutcomeUnknown(
        f"{error.message} The request may or may not have been carried out.",
        hint=f"Check the list before you try again. {error.hint}",
    )
