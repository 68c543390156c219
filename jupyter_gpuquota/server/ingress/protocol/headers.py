"""Which headers cross the ingress, in each direction.

The session receives no credentials of the browser's user. The browser receives headers about one
response only: none that it stores for JupyterLab's whole origin, that grant access to other
origins, or that control a reverse proxy in front. This is a list of dropped headers, not of allowed
ones, as programs use headers of their own (htmx, gRPC-Web).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from tornado.httputil import HTTPHeaders

from ....model.sessions import Endpoint
from .cookies import may_be_set, of_programs
from .response_head import bad_answer

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
_OF_AN_ORIGIN = {
    # credentials and logins
    "authentication-info",
    "clear-site-data",
    "optional-www-authenticate",
    "set-cookie",
    "set-cookie2",
    "set-login",
    "www-authenticate",
    # how the origin is reached and authenticated
    "alt-svc",
    "expect-ct",
    "public-key-pins",
    "public-key-pins-report-only",
    "strict-transport-security",
    # client hints and reports
    "accept-ch",
    "accept-ch-lifetime",
    "critical-ch",
    "nel",
    "report-to",
    "reporting-endpoints",
    # properties and permissions of the origin's pages
    "activate-storage-access",
    "origin-agent-cluster",
    "origin-trial",
    "service-worker-allowed",
    "use-as-dictionary",
    # advertising, which writes to the origin's storage
    "observe-browsing-topics",
    "shared-storage-write",
}
"""Headers whose effect on the origin outlasts the response."""

_FOR_OTHERS = {
    "timing-allow-origin",
    "x-permitted-cross-domain-policies",
    # of reverse proxies: what to send instead of the response
    "x-accel-redirect",
    "x-lighttpd-send-file",
    "x-sendfile",
}
"""Headers that grant access to other origins or control a reverse proxy in front."""

_FAMILIES = (
    "access-control-",
    "ad-auction-",
    "attribution-reporting-",
    "sec-session-",
    "secure-session-",
)
"""Prefixes of such headers: CORS, advertising, device-bound sessions."""

_KEPT_FROM_BROWSERS = _HOP_BY_HOP | _OF_AN_ORIGIN | _FOR_OTHERS
_SECRETS = frozenset({"token", "_xsrf"})


@dataclass(frozen=True, slots=True)
class Outside:
    """The external address: scheme, host and the path prefix of a session.

    `apart` if the origin belongs to the session alone and is not JupyterLab's.
    """

    scheme: str
    host: str
    prefix: str
    apart: bool = False


def to_session(headers: HTTPHeaders, outside: Outside, endpoint: Endpoint) -> HTTPHeaders:
    """Return the headers of a request to a session; those of its endpoint take precedence."""
    kept = _without(headers, _KEPT_FROM_SESSIONS)
    kept["Host"] = endpoint.authority
    kept["X-Forwarded-Proto"] = outside.scheme
    kept["X-Forwarded-Host"] = outside.host
    if outside.prefix:
        kept["X-Forwarded-Prefix"] = outside.prefix
    if outside.apart and (cookies := of_programs(headers.get_list("Cookie"))):
        kept["Cookie"] = cookies
    kept.update(endpoint.headers)
    return kept


def to_browser(headers: HTTPHeaders, outside: Outside, endpoint: Endpoint) -> HTTPHeaders:
    """Return the headers of a session's response; redirects stay below the session's address.

    The redirects of a program that knows its external address, as a Jupyter Server does, are kept:
    a JupyterLab in a session redirects to other sessions.

    Raises BadAnswer for a redirect to an invalid URL.
    """
    kept = _without(headers, _KEPT_FROM_BROWSERS, _FAMILIES)
    if outside.apart:
        for cookie in filter(may_be_set, headers.get_list("Set-Cookie")):
            kept.add("Set-Cookie", cookie)
        for scope in headers.get_list("Service-Worker-Allowed"):
            kept.add("Service-Worker-Allowed", scope)
    if "Location" in kept:
        kept["Location"] = _relocate(kept["Location"], outside, endpoint)
    return kept


def without_secrets(query: str) -> str:
    """Return a query string without JupyterLab's tokens and otherwise unchanged."""
    parts = query.split("&")
    return "&".join(part for part in parts if unquote(part.partition("=")[0]) not in _SECRETS)


def _without(
    headers: HTTPHeaders, dropped: Iterable[str], families: tuple[str, ...] = ()
) -> HTTPHeaders:
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    unwanted = {*dropped, *named}
    kept = HTTPHeaders()
    for name, value in headers.get_all():
        if name.lower() not in unwanted and not name.lower().startswith(families):
            kept.add(name, value)
    return kept


def _relocate(location: str, outside: Outside, endpoint: Endpoint) -> str:
    try:
        parts = urlsplit(location)
    except ValueError as error:
        raise bad_answer(f"redirected to the invalid URL {location!r}") from error
    if parts.netloc and parts.netloc != endpoint.authority:
        return location
    path, prefix = parts.path, outside.prefix.rstrip("/")
    knows_prefix = endpoint.base_url.rstrip("/") == prefix
    if path.startswith("/") and not (knows_prefix or path.startswith(prefix)):
        path = prefix + path
    return parts._replace(scheme="", netloc="", path=path).geturl()
