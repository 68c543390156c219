"""Whether a page of another origin caused a request."""

from __future__ import annotations

from urllib.parse import urlsplit

from tornado.httputil import HTTPHeaders


def is_foreign(method: str, headers: HTTPHeaders) -> bool:
    """Return whether a browser reports that another origin caused the request.

    Following a link is allowed, as a top-level navigation only reads. All other cross-origin
    requests are refused, images and frames included. Programs other than browsers do not send these
    headers (W3C, Fetch Metadata Request Headers).
    """
    site = headers.get("Sec-Fetch-Site", "same-origin")
    if site in ("same-origin", "none"):
        return False
    followed = (
        method in ("GET", "HEAD")
        and headers.get("Sec-Fetch-Mode") == "navigate"
        and headers.get("Sec-Fetch-Dest") == "document"
    )
    return not followed


def is_own(headers: HTTPHeaders) -> bool:
    """Return whether a browser reports that a page of this host caused the request."""
    host, origin = headers.get("Host"), headers.get("Origin")
    return bool(host and origin and urlsplit(origin.lower()).netloc == host.lower())


def is_navigation(method: str, headers: HTTPHeaders) -> bool:
    """Return whether a request may be a top-level navigation."""
    has_body = "Transfer-Encoding" in headers or headers.get("Content-Length", "0") != "0"
    return (
        method == "GET"
        and not has_body
        and headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        and headers.get("Sec-Fetch-Dest", "document") == "document"
    )
