"""The routing rules of sessions' hosts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tornado import web
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule

from ....api.dispatch import Dispatcher
from ....api.handlers import make_handlers
from ....core.hosts import Place
from ....model.routes.table import route
from ...jupyter_mount import JupyterApi, guard
from ..http import HttpProxy
from ..missed_output import MISSED, MissedOutputHandler
from ..request import IngressHandler, ProxyContext
from ..websocket import WebSocketProxy, is_upgrade
from .addresses import Hosts
from .entrance import EntranceHandler, LabRedirectHandler
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


Applies = Callable[[HTTPServerRequest, Place], bool]
"""Returns whether a rule applies to a request at the host of a place."""


class PlaceMatches(Matcher):
    """A matcher for requests at the host of a session or one of its ports."""

    def __init__(self, hosts: Hosts, applies: Applies) -> None:
        self._hosts = hosts
        self._applies = applies

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return the place as path arguments; None if the rule does not apply."""
        place = self._hosts.place_of(request)
        if place is None or not self._applies(request, place):
            return None
        port = {"port": str(place.port).encode()} if place.port else {}
        return {"path_kwargs": {"session": place.session.encode(), **port}}


class ResumeMatches(PlaceMatches):
    """A matcher for requests that resume the session of this host."""

    def __init__(self, hosts: Hosts) -> None:
        super().__init__(hosts, self._resumes)
        self._root = f"{hosts.base_url}gpuquota/api"

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return the route's arguments, None for other requests."""
        found = super().match(request)
        return found and {"path_kwargs": {"id": found["path_kwargs"]["session"]}}

    def _resumes(self, request: HTTPServerRequest, place: Place) -> bool:
        wanted = self._root + RESUME.path.format(id=place.session)
        return not place.port and (request.method, request.path) == (RESUME.method, wanted)


def host_rules(hosts: Hosts, context: ProxyContext, dispatcher: Dispatcher) -> list[Rule]:
    """Return the rules of sessions' hosts, which serve nothing else of Jupyter.

    `dispatcher` handles the route to resume the session.
    """

    def enters(request: HTTPServerRequest, _place: Place) -> bool:
        return request.method == "POST" and request.path == hosts.entrance

    def inside(request: HTTPServerRequest, place: Place) -> bool:
        prefix = hosts.prefix_of(place)
        ports = rf"{re.escape(prefix)}/p/\d{{1,5}}(?:/.*)?"
        below = request.path == prefix or request.path.startswith(f"{prefix}/")
        return below and bool(place.port or not re.fullmatch(ports, request.path))

    def upgrades(request: HTTPServerRequest, place: Place) -> bool:
        return is_upgrade(request.headers) and inside(request, place)

    def missed(request: HTTPServerRequest, place: Place) -> bool:
        path = re.escape(hosts.prefix_of(place)) + MISSED
        return not place.port and bool(re.fullmatch(path, request.path))

    arguments = {"context": context, "hosts": hosts}
    return [
        Rule(PlaceMatches(hosts, enters), EntranceHandler, {"hosts": hosts}),
        Rule(PlaceMatches(hosts, missed), HostedMissedOutput, arguments),
        Rule(PlaceMatches(hosts, upgrades), HostedWebSocketProxy, arguments),
        Rule(PlaceMatches(hosts, inside), HostedHttpProxy, arguments),
        Rule(ResumeMatches(hosts), resuming(), {"dispatcher": dispatcher, "hosts": hosts}),
        Rule(PlaceMatches(hosts, lambda *_: True), LabRedirectHandler, {"hosts": hosts}),
    ]
