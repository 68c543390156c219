"""Mount the ingress in a Jupyter Server."""

from __future__ import annotations

import re
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import PathMatches, Rule

from .http import Relay
from .visit import Ways
from .websocket import SocketRelay


class UpgradeMatches(PathMatches):
    """Match requests for a WebSocket only."""

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return the arguments of the path, None if it is not our path or no WebSocket."""
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return None
        return super().match(request)


def ingress_rules(base_url: str, ways: Ways) -> list[Rule]:
    """Return the rules of the ingress: sessions' ports first, WebSockets before HTTP."""
    arguments = {"ways": ways}
    session = rf"{re.escape(base_url)}gpuquota/s/(?P<session>[^/]+)"
    paths = [rf"{session}/p/(?P<port>\d{{1,5}})(?:/.*)?", rf"{session}(?:/.*)?"]
    return [
        rule
        for path in paths
        for rule in (
            Rule(UpgradeMatches(path), SocketRelay, arguments),
            Rule(PathMatches(path), Relay, arguments),
        )
    ]
