"""The handlers at a session's own host: the session, and of JupyterLab the route to resume it."""

from __future__ import annotations

from tornado import web

from ....api.dispatch import Dispatcher
from ....api.handlers import make_handlers
from ....core.hosts import Place
from ....model.routes.table import route
from ...jupyter_mount import JupyterApi, guard
from ..http import HttpProxy
from ..missed_output import MissedOutputHandler
from ..request import IngressHandler, ProxyContext
from ..websocket import WebSocketProxy
from .addresses import Hosts
from .login import HostHandler

RESUME = route("sessions.resume")
"""The only route of JupyterLab that a session's page may use, for its own session.

While the session is not running, the page has no other server.
"""


class Hosted(HostHandler, IngressHandler):
    """A handler at a session's host."""

    apart = True

    def initialize(self, context: ProxyContext, hosts: Hosts) -> None:  # type: ignore[override]
        """Store what the mount passes to every handler."""
        super().initialize(context)
        self.hosts = hosts

    def prefix_of(self, session: str, port: int) -> str:
        """Return the path prefix of a session or one of its ports."""
        return self.hosts.prefix_of(Place(session, port))

    async def redirects(self) -> bool:
        """Redirect to the root with a slash, which relative links need."""
        prefix = self.hosts.prefix_of(self.place)
        if self.request.method != "GET" or self.request.path != prefix:
            return False
        self.redirect(f"{prefix}/")
        return True


class HostedHttpProxy(Hosted, HttpProxy):
    """The HTTP proxy at a session's host."""

    def offer_xsrf(self) -> None:
        """Set no XSRF cookie: requests are checked by their origin here."""


class HostedWebSocketProxy(Hosted, WebSocketProxy):
    """The WebSocket proxy at a session's host."""


class HostedMissedOutput(Hosted, MissedOutputHandler):
    """Missed kernel output at a session's host."""


class HostedApi(HostHandler, JupyterApi):
    """A handler of JupyterLab's REST interface at a session's host."""

    def initialize(self, dispatcher: Dispatcher, hosts: Hosts) -> None:  # type: ignore[override]
        """Store what the mount passes to every handler."""
        super().initialize(dispatcher)
        self.hosts = hosts


def resuming() -> type[web.RequestHandler]:
    """Return the handler of `RESUME`."""
    ((_, handler), _nowhere) = make_handlers(HostedApi, [RESUME], guard)
    return handler
