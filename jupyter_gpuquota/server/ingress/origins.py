"""Decide whether a page of another origin is behind a request; pure."""

from __future__ import annotations

from urllib.parse import urlsplit

from tornado.httputil import HTTPHeaders


def is_foreign(method: str, headers: HTTPHeaders) -> bool:
    """Tell whether a browser says that another origin caused the request.

    Following a link from anywhere is fine: a top-level navigation only reads. Everything else
    that crosses origins is refused, images and frames included. Programs that are no browsers
    send none of these headers (W3C, Fetch Metadata Request Headers).
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
    """Tell whether a browser says that a page of this very host caused the request."""
    host, origin = headers.get("Host"), headers.get("Origin")
    return bool(host and origin and urlsplit(origin.lower()).netloc == host.lower())
