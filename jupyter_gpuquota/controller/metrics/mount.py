"""The address at which Prometheus reads: plain HTTP, without a login, and nothing but figures."""

from __future__ import annotations

from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from ...api.dispatch import Dispatcher
from ...errors import Unavailable
from ...ports.backend import Backend
from ..https_mount import Address
from .collecting import Refusals, Scraped, Waits

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
