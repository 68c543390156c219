"""The address at which Prometheus reads: plain HTTP, without a login, and nothing but figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from ...api.dispatch import ApiRequest, ApiResponse, Dispatcher
from ...errors import GpuQuotaError, Unavailable
from ...model.sessions import Session
from ...ports.backend import Backend
from ..https_mount import Address
from .figures import figures

_IDLE = 75.0
"""Seconds after which a connection without requests is closed."""
_HEADERS = 8 * 1024


class Metrics:
    """The metrics of one controller, from `serve` to `stop`."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._server: HTTPServer | None = None
        self.port = 0
        """The port at which it listens."""

    def serve(self, backend: Backend, dispatcher: Dispatcher) -> Dispatcher:
        """Listen; return a dispatcher whose refusals count. Raises Unavailable."""
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(Scraped(backend, Waits(datetime.now(UTC))))
        handlers = [("/metrics", _Page, {"registry": registry})]
        self._server = HTTPServer(
            web.Application(handlers, log_function=lambda _: None),
            idle_connection_timeout=_IDLE,
            max_header_size=_HEADERS,
            max_body_size=0,
        )
        try:
            found = bind_sockets(self._address.port, self._address.host)
        except OSError as error:
            raise Unavailable(
                f"The metrics cannot be served on {self._address}: {error.strerror}.",
                hint="Set c.Controller.metrics to another address.",
            ) from error
        self.port = found[0].getsockname()[1]
        self._server.add_sockets(found)
        return Refusals(dispatcher, registry)

    def stop(self) -> None:
        """Stop listening; may be called before `serve`."""
        if self._server:
            self._server.stop()


class _Page(web.RequestHandler):
    """Writes the metrics as text."""

    def initialize(self, registry: CollectorRegistry) -> None:
        """Store the registry."""
        self._registry = registry

    def get(self) -> None:
        """Write them."""
        self.clear_header("Server")
        self.set_header("Content-Type", CONTENT_TYPE_LATEST)
        self.finish(generate_latest(self._registry))


_WAITS = (1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
"""Upper bounds of waits, in seconds."""


class Refusals:
    """A dispatcher that counts the requests that another one refuses."""

    def __init__(self, dispatcher: Dispatcher, registry: CollectorRegistry) -> None:
        self._dispatcher = dispatcher
        self._refused = Counter(
            "gpuquota_refusals",
            "Requests that were refused, by route and code of the error",
            ["route", "code"],
            registry=registry,
        )

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Return the response. Raises GpuQuotaError, which counts."""
        try:
            return await self._dispatcher.dispatch(request)
        except GpuQuotaError as error:
            self._refused.labels(route=request.route.name, code=error.code).inc()
            raise


class Waits:
    """How long sessions have waited for their first start, each counted once.

    Those that had started before this controller are left out: another one has counted them.
    """

    def __init__(self, since: datetime) -> None:
        self._since = since
        self._counted: frozenset[str] = frozenset()
        self._waited = Histogram(
            "gpuquota_queue_wait_seconds",
            "Seconds from the request of a session to its first start",
            ["project"],
            buckets=_WAITS,
            registry=None,
        )

    def collect(self, sessions: Iterable[Session]) -> Iterable[Metric]:
        """Return the waits, after counting the sessions that have started since the last time."""
        started = {
            session.id: session
            for session in sessions
            if session.run == 1 and session.started and session.started >= self._since
        }
        for session_id in started.keys() - self._counted:
            session = started[session_id]
            if session.started:
                waited = (session.started - session.created).total_seconds()
                self._waited.labels(project=session.spec.project).observe(max(0.0, waited))
        self._counted = frozenset(started)
        return self._waited.collect()


class Scraped(Collector):
    """The gauges of a backend, read from memory at each scrape; nothing is asked of a cluster."""

    def __init__(self, backend: Backend, waits: Waits) -> None:
        self._backend = backend
        self._waits = waits

    def describe(self) -> Iterable[Metric]:
        """Return nothing: otherwise the registry would collect on registration."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics as they are now."""
        sessions: Sequence[Session] = self._backend.sessions.all()
        yield from self._waits.collect(sessions)
        yield from figures(self._backend.usage.quota(), sessions, datetime.now(UTC))
        yield CounterMetricFamily(
            "gpuquota_reconcile_errors",
            "Attempts to bring a session to where it should be that have failed",
            self._backend.failures(),
        )
