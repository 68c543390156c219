"""A proxy in front of an API server that is slow, refuses, or loses answers, as a test wants."""

from __future__ import annotations

import asyncio
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import aiohttp
import trustme
import yaml
from aiohttp import web
from yarl import URL

from scripts.cluster.rest import Rest
from tests.cluster.connections import all_ended

HOP_BY_HOP = ("transfer-encoding", "connection", "content-length", "keep-alive", "host")

REASONS = {
    HTTPStatus.FORBIDDEN: "Forbidden",
    HTTPStatus.CONFLICT: "Conflict",
    HTTPStatus.GONE: "Expired",
    HTTPStatus.TOO_MANY_REQUESTS: "TooManyRequests",
    HTTPStatus.INTERNAL_SERVER_ERROR: "InternalError",
    HTTPStatus.SERVICE_UNAVAILABLE: "ServiceUnavailable",
}


@dataclass
class Rule:
    """What happens to requests whose method and path with query match, and how often.

    With `status` they are answered so. With `expired` a watch gets the event that its version is
    too old. With `lost` the API server acts, but its answer is dropped. With `cut` the answer
    breaks off after so many seconds. With `act` that is called, and the request is dropped.
    Otherwise they pass after `delay`, in seconds. The first `skip` requests are left alone.
    """

    path: str = ""
    method: str = ""
    status: int = 0
    delay: float = 0.0
    lost: bool = False
    expired: bool = False
    cut: float = 0.0
    act: Callable[[], None] | None = None
    retry_after: int = 0
    skip: int = 0
    times: int = 1_000_000
    seen: int = 0

    def takes(self, method: str, path: str) -> bool:
        """Return whether the rule applies to a request, and count it."""
        if self.seen >= self.times or not re.search(self.path, path):
            return False
        if not re.match(self.method, method):
            return False
        self.skip, skipped = max(0, self.skip - 1), self.skip > 0
        self.seen += not skipped
        return not skipped


@dataclass
class FaultProxy:
    """The proxy; `rules` may be changed at any time, and the first that matches decides."""

    kubeconfig: Path
    rules: list[Rule] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """Method and path of each request so far."""
    written: list[str] = field(default_factory=list)
    """The writes that were passed on, with the status of their answers."""
    is_down: bool = False
    """Whether all connections are closed at once, as while an API server is killed."""
    opened: set[asyncio.Transport] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None

    @classmethod
    @contextmanager
    def running(cls, kubeconfig: Path, folder: Path) -> Iterator[FaultProxy]:
        """Run a proxy with a user's credentials; its own kubeconfig leads to it."""
        rest = Rest.of(kubeconfig)
        ready: list[int] = []
        started, loop = threading.Event(), asyncio.new_event_loop()
        authority = trustme.CA()
        ca = folder / "proxy-ca.crt"
        authority.cert_pem.write_to_path(ca)
        proxy = cls(folder / f"proxy-{kubeconfig.name}", _loop=loop)

        async def serve() -> None:
            async with _Server(proxy, rest, authority) as port:
                ready.append(port)
                started.set()
                await stopped.wait()

        stopped = asyncio.Event()
        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        try:
            assert started.wait(30)
            proxy._write(kubeconfig, ready[0], ca)
            yield proxy
        finally:
            loop.call_soon_threadsafe(stopped.set)
            thread.join()
            loop.close()

    def rest(self) -> Rest:
        """Return a connection through the proxy."""
        return Rest.of(self.kubeconfig)

    def add(self, rule: Rule) -> Rule:
        """Add a rule, and return it: `seen` counts how often it was used."""
        self.rules.append(rule)
        return rule

    def go_down(self) -> None:
        """Close all connections, and further ones at once, until `is_down` is false again."""
        self.is_down = True
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        for transport in list(self.opened):
            transport.abort()

    def _write(self, original: Path, port: int, ca: Path) -> None:
        config = yaml.safe_load(original.read_text(encoding="utf-8"))
        cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(ca)}
        for entry in config["clusters"]:
            entry["cluster"] = cluster
        self.kubeconfig.write_text(yaml.safe_dump(config), encoding="utf-8")

    def rule_for(self, method: str, path: str) -> Rule | None:
        """Return the rule that decides about a request."""
        self.requests.append(f"{method} {path}")
        return next((rule for rule in self.rules if rule.takes(method, path)), None)


class _Server:
    """Entered in the proxy's own event loop; yields the port."""

    def __init__(self, proxy: FaultProxy, rest: Rest, authority: trustme.CA) -> None:
        self._proxy, self._rest, self._authority = proxy, rest, authority

    async def __aenter__(self) -> int:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert("127.0.0.1").configure_cert(tls)
        self._session = aiohttp.ClientSession(auto_decompress=False)
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, max_line_size=2**20
        )  # programs that are run in a pod are in the path
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=tls)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
        await self._session.close()
        await all_ended()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if self._proxy.is_down:
            return _dropped(request)
        transport = request.transport
        if not isinstance(transport, asyncio.Transport):  # it was closed meanwhile
            return web.Response()
        self._proxy.opened.add(transport)
        try:
            return await self._answer(request)
        finally:
            self._proxy.opened.discard(transport)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        rule = self._proxy.rule_for(request.method, request.path_qs)
        if rule:
            await asyncio.sleep(rule.delay)
            if rule.act:
                rule.act()
                return _dropped(request)
            if rule.status:
                return _refusal(rule)
            if rule.expired:
                event = {"type": "ERROR", "object": _status(HTTPStatus.GONE)}
                return web.json_response(event)
        return await self._forward(request, rule or Rule())

    async def _forward(self, request: web.Request, rule: Rule) -> web.StreamResponse:
        headers = {k: v for k, v in request.headers.items() if k.lower() not in HOP_BY_HOP}
        url = f"{self._rest.server}{request.raw_path}"
        try:
            async with self._session.request(
                request.method,
                URL(url, encoded=True),
                data=await request.read(),
                headers=headers,
                ssl=self._rest.tls,
                timeout=aiohttp.ClientTimeout(),
            ) as answer:
                if request.method in ("POST", "PATCH", "DELETE"):
                    self._proxy.written.append(f"{request.method} {request.path} {answer.status}")
                if rule.lost:
                    await answer.read()
                    return _dropped(request)
                kept = {k: v for k, v in answer.headers.items() if k.lower() not in HOP_BY_HOP}
                response = web.StreamResponse(status=answer.status, headers=kept)
                await response.prepare(request)
                async with asyncio.timeout(rule.cut or None):
                    async for chunk in answer.content.iter_any():
                        await response.write(chunk)
                return response
        except (aiohttp.ClientError, TimeoutError):
            return _dropped(request)


def _dropped(request: web.Request) -> web.StreamResponse:
    """Close the connection without an answer, as an API server that is killed does."""
    if request.transport:
        request.transport.abort()
    return web.Response()


def _refusal(rule: Rule) -> web.Response:
    """Return a refusal in the words of an API server."""
    headers = {"Retry-After": str(rule.retry_after)} if rule.retry_after else {}
    return web.json_response(_status(rule.status), status=rule.status, headers=headers)


def _status(code: int) -> dict[str, object]:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": REASONS.get(HTTPStatus(code), ""),
        "message": "a test's proxy refuses this",
    }
