"""Which headers cross the ingress, in each direction; pure.

Towards the session nothing goes that proves who the browser's user is; towards the browser
nothing goes that would change what JupyterLab's own origin is or may do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from tornado.httputil import HTTPHeaders

from ...model.sessions import Endpoint

_HOP_BY_HOP = frozenset(
    {
        "connection",
        "expect",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_KEPT_FROM_SESSIONS = _HOP_BY_HOP | {
    "authorization",
    "cookie",
    "forwarded",
    "host",
    "origin",
    "referer",
    "x-csrftoken",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-real-ip",
    "x-xsrftoken",
}
_KEPT_FROM_BROWSERS = _HOP_BY_HOP | {
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "alt-svc",
    "clear-site-data",
    "nel",
    "report-to",
    "service-worker-allowed",
    "set-cookie",
    "set-cookie2",
    "strict-transport-security",
}
_SECRETS = frozenset({"token", "_xsrf"})


@dataclass(frozen=True, slots=True)
class Outside:
    """Be the address that the browser used: scheme, host and the path below which a session is."""

    scheme: str
    host: str
    prefix: str


def to_session(headers: HTTPHeaders, outside: Outside, endpoint: Endpoint) -> HTTPHeaders:
    """Return the headers of a request for a session; those of its endpoint come last."""
    kept = _without(headers, _KEPT_FROM_SESSIONS)
    kept["Host"] = endpoint.authority
    kept["X-Forwarded-Proto"] = outside.scheme
    kept["X-Forwarded-Host"] = outside.host
    kept["X-Forwarded-Prefix"] = outside.prefix
    kept.update(endpoint.headers)
    return kept


def to_browser(headers: HTTPHeaders, outside: Outside, endpoint: Endpoint) -> HTTPHeaders:
    """Return the headers of a session's answer; redirects stay below the session's address."""
    kept = _without(headers, _KEPT_FROM_BROWSERS)
    if "Location" in kept:
        kept["Location"] = _relocate(kept["Location"], outside, endpoint.authority)
    return kept


def without_secrets(query: str) -> str:
    """Return a query string without JupyterLab's own tokens; the rest stays to the letter."""
    parts = query.split("&")
    return "&".join(part for part in parts if unquote(part.partition("=")[0]) not in _SECRETS)


def _without(headers: HTTPHeaders, dropped: Iterable[str]) -> HTTPHeaders:
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    unwanted = {*dropped, *named}
    kept = HTTPHeaders()
    for name, value in headers.get_all():
        if name.lower() not in unwanted:
            kept.add(name, value)
    return kept


def _relocate(location: str, outside: Outside, host: str) -> str:
    parts = urlsplit(location)
    if parts.netloc and parts.netloc != host:
        return location
    path = parts.path
    if path.startswith("/") and not path.startswith(outside.prefix):
        path = outside.prefix.rstrip("/") + path
    return parts._replace(scheme="", netloc="", path=path).geturl()
