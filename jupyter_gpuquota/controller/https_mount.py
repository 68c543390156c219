"""The REST interface on a network address, with TLS and bearer tokens."""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tornado import web
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets

from ..api.dispatch import Dispatcher
from ..api.handlers import Api, make_handlers
from ..core.access import Caller
from ..errors import NotAuthenticated, Unavailable, Unsupported
from ..hosting.remote import is_loopback
from ..hosting.unix import API
from ..model.routes.table import ROUTES
from .accepting import BoundedServer
from .authentication import Authentication
from .connections import LOOPBACK, Connections, Most, Network
from .log import log_server_error

log = logging.getLogger(__name__)

_CHALLENGE = 'Bearer realm="jupyter_gpuquota"'


@dataclass(frozen=True, slots=True)
class Address:
    """The address on which the controller listens: a host of this machine and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the address as written in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one client.

    `idle` is the seconds for the TLS handshake, for a request's headers and between two requests;
    `body` the seconds for a body. `headers` and `bodies` are bytes: a body above the limit of the
    interface is refused, but read to its end up to this size, so that the client sees the refusal;
    so are headers, up to 256 KiB. Where too many are connected, see `Connections`.
    """

    most: Most = field(default_factory=Most)
    idle: float = 75.0
    body: float = 60.0
    headers: int = 32 * 1024
    bodies: int = 16 * 1024 * 1024


def parse_address(text: str) -> Address:
    """Return the address in `host:port`. Raises Unsupported."""
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+)):(\d{1,5})", text)
    if not match or int(match[3]) > 65535:
        raise Unsupported(
            f"{text!r} is not an address to listen on.",
            hint="Set c.Controller.address to HOST:PORT, for example 0.0.0.0:8443 or [::1]:8443.",
        )
    return Address(match[1] or match[2], int(match[3]))


class HttpsApi(Api):
    """Handles requests with a valid token."""

    def initialize(self, dispatcher: Dispatcher, authentication: Authentication) -> None:  # type: ignore[override]
        """Store the arguments that the mount passes to every handler."""
        super().initialize(dispatcher)
        self._authentication = authentication
        self._caller: Caller | None = None

    def set_default_headers(self) -> None:
        """Hide the server's name and version."""
        self.clear_header("Server")
        self.set_header("X-Content-Type-Options", "nosniff")

    async def prepare(self) -> None:
        """Authenticate the caller before the body is read."""
        address = self.request.remote_ip or ""
        caller = await self._authentication.caller_of(address, self.request.headers)
        self.settings["connections"].identify(_stream(self.request.connection), caller.name)
        self._caller = caller

    def on_finish(self) -> None:
        """Note the end of the request."""
        self.settings["connections"].answered(_stream(self.request.connection))

    def caller(self) -> Caller:
        """Return the authenticated caller."""
        if self._caller is None:
            raise web.HTTPError(401)
        return self._caller

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write an error, with the headers that its status requires."""
        raised = kwargs.get("exc_info", (None, None, None))[1]
        if self._caller is None:
            self.set_header("Connection", "close")  # tornado reads no body after `prepare` failed
        if isinstance(raised, NotAuthenticated):
            self.set_header("WWW-Authenticate", _CHALLENGE)
        super().write_error(status_code, **kwargs)


class OpenApiDocument(HttpsApi):
    """Serves the OpenAPI document to authenticated callers."""

    def get(self) -> None:
        """Write the document."""
        from ..api.openapi import document  # noqa: PLC0415 (rarely requested)

        self.finish(document(API))


def _stream(connection: Any) -> Any:
    """Return the stream of a connection of a server or of a request, which are not the same."""
    return connection.stream


class HttpsServer(BoundedServer):
    """A server that closes connections of strangers when too many are open."""

    connections: Connections

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a client, or close its connection."""
        if self.connections.add(stream, str(address[0]) if address else "", stream.close):
            super().handle_stream(stream, address)
        else:
            stream.close()

    def on_close(self, server_conn: object) -> None:
        """Forget a closed connection."""
        self.connections.remove(_stream(server_conn))
        super().on_close(server_conn)


def application(dispatcher: Dispatcher, authentication: Authentication) -> web.Application:
    """Return the application of all routes, including internal ones.

    There is no route that makes it exit: that is up to its service manager.
    """
    shared = {"dispatcher": dispatcher, "authentication": authentication}
    made = make_handlers(HttpsApi, ROUTES, lambda _permission, verb: verb)
    _, nowhere = made[-1]
    return web.Application(
        [
            (rf"{API}/openapi\.json", OpenApiDocument, shared),
            *((API + pattern, handler, shared) for pattern, handler in made),
        ],
        default_handler_class=nowhere,
        default_handler_args=shared,
        log_function=log_server_error,
    )


def check(address: Address, *, encrypted: bool) -> None:
    """Raise Unsupported for unencrypted HTTP beyond this machine."""
    if not (encrypted or is_loopback(address.host)):
        raise Unsupported(
            f"Tokens would be sent to {address} without encryption.",
            hint="Set c.Controller.certificate and c.Controller.key. Plain HTTP is for a proxy on "
            "this machine: c.Controller.insecure with an address such as 127.0.0.1:8080.",
        )


def listen(
    served: web.Application,
    address: Address,
    context: ssl.SSLContext | None,
    limits: Limits | None = None,
    proxies: Iterable[Network] = (),
) -> HttpsServer:
    """Return a listening server; without TLS it trusts a proxy's X-Forwarded-For.

    `proxies` are networks whose addresses stand for many clients. Raises Unavailable for an
    unavailable address.
    """
    limits = limits or Limits()
    behind = [*proxies, *(LOOPBACK if context is None else ())]
    server = HttpsServer(
        served,
        ssl_options=context,
        xheaders=context is None,
        idle_connection_timeout=limits.idle,
        body_timeout=limits.body,
        max_header_size=limits.headers,
        max_body_size=limits.bodies,
    )
    server.connections = Connections(limits.most, behind)
    served.settings.update(connections=server.connections, limits=limits)
    try:
        found = bind_sockets(address.port, address.host)
    except OSError as error:
        raise Unavailable(
            f"The controller cannot listen on {address}: {error.strerror}.",
            hint="Set c.Controller.address to another address.",
        ) from error
    for listener in found:
        log.info("listening on %s", Address(*listener.getsockname()[:2]))
    server.add_sockets(found)
    return server
