"""The base of the ingress's handlers: where a request goes and who may make it."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.base.handlers import JupyterHandler
from tornado import web
from tornado.iostream import IOStream
from tornado.tcpclient import TCPClient

from ...api import sockets
from ...api.statuses import FaultLogging, error_raised
from ...errors import NotFound, Unavailable, WrongState
from ...http1 import verifying
from ...model.addresses import lab_path, outer_base
from ...model.routes.table import route
from ...model.sessions import Endpoint
from ..connections import Connections
from ..jupyter_mount import RESOURCE
from .error_pages import Subject, error_page, write_page
from .presence import Presence
from .protocol.headers import Outside, without_secrets
from .protocol.origins import is_foreign
from .replay.kernel_channels import KernelChannels
from .targets import Targets, check_prefix

_RESUME = route("sessions.resume").path

Count = Callable[[str, int], None]
"""Count a request by its kind (`http` or `websocket`) and the status of the response."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a request goes, and the external address of the session."""

    session: str
    port: int
    endpoint: Endpoint
    outside: Outside
    target: str


@dataclass(slots=True)
class ProxyContext:
    """What all requests of the ingress share: look-ups, connections, metrics and reports."""

    targets: Targets
    connections: Connections
    count: Count
    presence: Presence
    kernels: KernelChannels = field(default_factory=KernelChannels)

    async def borrow(self, destination: Destination) -> IOStream:
        """Return a connection to the session, reused if possible. Raises what `connect` raises."""
        return await self.connections.borrow(_key(destination), lambda: self.connect(destination))

    def give_back(self, destination: Destination, upstream: IOStream) -> None:
        """Return a connection to the pool."""
        self.connections.give_back(_key(destination), upstream)

    async def connect(self, destination: Destination) -> IOStream:
        """Open a connection to the session.

        The endpoint is looked up again once connected: if the session has ended and another process
        has taken its port, this is noticed before anything is sent.

        Raises Unavailable, and what `Targets.find` raises.
        """
        try:
            upstream = await connect(destination.endpoint)
        except Unavailable:
            self.targets.forget()
            raise
        try:
            await self._check_unmoved(destination)
        except BaseException:
            upstream.close()
            raise
        upstream.set_nodelay(True)
        return upstream

    def close(self) -> None:
        """Close all connections and stop reporting."""
        self.connections.close()
        self.kernels.close()
        self.targets.close()
        self.presence.close()

    async def _check_unmoved(self, destination: Destination) -> None:
        now = await self.targets.find(destination.session, destination.port, fresh=True)
        if now != destination.endpoint:
            raise WrongState("The session has just moved.", hint="Reload the page.")


def inner_path(path: str, session: str) -> str:
    """Return the path below the session's address."""
    return path.partition(f"gpuquota/s/{session}")[2]


def _key(destination: Destination) -> Hashable:
    to = destination.endpoint
    headers = tuple(sorted(to.headers.items()))
    return destination.session, destination.port, to.scheme, to.host, to.port, to.ca, headers


class IngressHandler(FaultLogging, JupyterHandler):
    """A handler that checks the caller and finds the session."""

    auth_resource = RESOURCE
    kind = "http"
    apart = False
    context: ProxyContext
    _subject: Subject | None = None

    def initialize(self, context: ProxyContext) -> None:
        """Store what the mount passes to every handler."""
        self.context = context

    async def redirects(self) -> bool:
        """Redirect a browser from an incomplete or nested address; return whether it was.

        If this JupyterLab is a session itself, other sessions are at the outer one's ingress. The
        links of a program on a port are relative to its root, with the slash.
        """
        if self.request.method != "GET":
            return False
        outer, path = outer_base(self.base_url), self.request.path
        wanted = outer + path.removeprefix(self.base_url)
        if path.endswith(f"/p/{self.path_kwargs.get('port')}"):
            wanted += "/"
        if wanted == path:
            return False
        self.redirect(f"{wanted}?{self.request.query}" if self.request.query else wanted)
        return True

    async def check(self, action: str) -> None:
        """Raise HTTPError 403 unless user and origin may do this.

        Bodies are forwarded while they arrive, so this runs before the guarded verb.
        """
        self.check_site()
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, action, RESOURCE)
        )
        if not allowed:
            raise web.HTTPError(403, f"You lack the permission to {action} {RESOURCE}.")

    def check_site(self) -> None:
        """Raise HTTPError 403 if a page of another origin caused the request."""
        if is_foreign(str(self.request.method), self.request.headers):
            raise web.HTTPError(403, "Requests from pages of other origins are not allowed.")

    async def resolve(self, session: str, port: str = "0") -> Destination:
        """Return where the request goes. Raises what `Targets.find` and `check_prefix` raise."""
        path, query = self.request.path, without_secrets(self.request.query)
        prefix = self.prefix_of(session, int(port))
        if not path.startswith(prefix):  # with escapes that our links never have
            raise NotFound(f"No session at {path}.")
        try:
            endpoint = await self.context.targets.find(session, int(port))
        except WrongState:
            if "text/html" in self.request.headers.get("Accept", ""):
                self._subject = await self._describe(session)
            raise
        if int(port):
            path = path[len(prefix) :]
        else:
            check_prefix(endpoint, path)
        outside = Outside(self.request.protocol, self.request.host, prefix, self.apart)
        target = f"{path}?{query}" if query else path
        return Destination(session, int(port), endpoint, outside, target)

    def prefix_of(self, session: str, port: int) -> str:
        """Return the path below which a session or a port of it is shown."""
        return lab_path(self.base_url, session, port)

    def home_url(self) -> str:
        """Return the address of JupyterLab."""
        return f"{outer_base(self.base_url)}lab"

    def note_activity(self, saved: str = "") -> None:
        """Record a user's activity; polls, pings and output of the session do not count.

        Whether a user `saved` a notebook is determined later.
        """
        if not saved:
            self.settings["gpuquota_ingress_last_activity"] = datetime.now(UTC)
        self.context.presence.note(self.path_kwargs["session"], saved)

    def note_end(self, status: int) -> None:
        """Log a request whose connection was detached; tornado logs the others."""
        self.set_status(status)
        self.application.log_request(self)
        self.on_finish()

    def on_finish(self) -> None:
        """Count the request."""
        self.context.count(self.kind, self.get_status())

    def set_default_headers(self) -> None:
        """Clear the default headers; the session sets its own."""
        for name in ("Content-Type", "Date", "Server"):
            self.clear_header(name)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write the error as a page or as JSON."""
        raised = kwargs.get("exc_info", (None, None, None))[1]
        status, error = error_raised(status_code, raised)
        accept = self.request.headers.get("Accept", "")
        page = error_page(error, self.home_url(), accept, self._subject)
        self.clear()
        self.set_status(status)
        write_page(self, page)

    async def _describe(self, session_id: str) -> Subject | None:
        session = await self.context.targets.describe(session_id)
        resume = outer_base(self.base_url) + "gpuquota/api" + _RESUME.format(id=session_id)
        return Subject(session, resume) if session else None


async def connect(endpoint: Endpoint) -> IOStream:
    """Return a new connection to an endpoint.

    Raises Unavailable if nothing listens there or its certificate is not trusted.
    """
    encrypted = endpoint.scheme == "https"
    try:
        if endpoint.socket:
            return await sockets.connect(Path(endpoint.socket))
        tls = verifying(endpoint.ca) if encrypted else None
        return await TCPClient().connect(endpoint.host, endpoint.port, ssl_options=tls)
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or error
        raise Unavailable(
            f"TLS connection to the session at {endpoint.authority} failed: {why}.",
            hint="Ask an administrator to check its certificate.",
        ) from error
    except OSError as error:
        raise Unavailable(
            "The session does not respond.", hint="It may have just ended; check its log."
        ) from error
