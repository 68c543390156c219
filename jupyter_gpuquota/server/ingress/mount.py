"""The ingress's rules in a Jupyter Server."""

from __future__ import annotations

import re
from typing import Any, cast

from jupyter_server.serverapp import ServerApp
from tornado.httputil import HTTPServerRequest
from tornado.routing import PathMatches, Rule

from ...api.dispatch import Dispatcher
from .hosts.addresses import Hosts
from .hosts.entrance import logout_handler
from .hosts.redirecting import RedirectingHttpProxy, RedirectingWebSocketProxy
from .hosts.rules import host_rules
from .http import HttpProxy
from .missed_output import MISSED, MissedOutputHandler
from .request import ProxyContext
from .websocket import WebSocketProxy, is_upgrade


class UpgradeMatches(PathMatches):
    """A matcher for WebSocket requests."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return the path arguments, None for another path or a request without an upgrade."""
        return super().match(request) if is_upgrade(request.headers) else None


def ingress_rules(base_url: str, context: ProxyContext, hosts: Hosts | None = None) -> list[Rule]:
    """Return the rules of the ingress: sessions' ports first, WebSockets before HTTP.

    If sessions have their own hosts, these rules redirect there.
    """
    arguments: dict[str, Any] = {"context": context, **({"hosts": hosts} if hosts else {})}
    page = RedirectingHttpProxy if hosts else HttpProxy
    socket = RedirectingWebSocketProxy if hosts else WebSocketProxy
    session = rf"{re.escape(base_url)}gpuquota/s/(?P<session>[^/]+)"
    paths = [rf"{session}/p/(?P<port>\d{{1,5}})(?:/.*)?", rf"{session}(?:/.*)?"]
    missed = Rule(PathMatches(session + MISSED), MissedOutputHandler, arguments)
    return ([] if hosts else [missed]) + [
        rule
        for path in paths
        for rule in (
            Rule(UpgradeMatches(path), socket, arguments),
            Rule(PathMatches(path), page, arguments),
        )
    ]


def mount(
    server: ServerApp, context: ProxyContext, hosts: Hosts | None, dispatcher: Dispatcher
) -> None:
    """Add the ingress to a server; rules for sessions' hosts come before all others.

    `dispatcher` is that of the server's REST interface.
    """
    app = cast("Any", server.web_app)
    app.add_handlers(".*$", ingress_rules(server.base_url, context, hosts))
    if not hosts:
        return
    logout = logout_handler(cast("Any", server.identity_provider).logout_handler_class, hosts)
    leaves = Rule(PathMatches(rf"{re.escape(server.base_url)}logout"), logout)
    app.add_handlers(".*$", [*host_rules(hosts, context, dispatcher), leaves])
    rules = app.default_router.rules
    # Tornado has added these before the last rule, which matches all hosts; they must be first.
    rules.insert(0, rules.pop(-2))
