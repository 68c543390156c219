"""What went wrong at the ingress: a page for people, JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import msgspec

from ...api.statuses import problem_of
from ...errors import GpuQuotaError, Unavailable, WrongState

_AGAIN = "5"
"""Seconds after which a page looks again by itself: the session may be on its way."""

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 36em; padding: 0 1em; }}
h1 {{ font-size: 1.3em; }}
</style></head>
<body><main><h1>{title}</h1><p>{message}</p><p>{hint}</p>
<p><a href="{home}">Back to JupyterLab</a></p></main></body>
</html>
"""


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """An error in the shape that its reader wants: the headers and the body of an answer."""

    headers: dict[str, str]
    body: bytes


def error_page(error: GpuQuotaError, home: str, accept: str) -> ErrorPage:
    """Return the page, or JSON where the reader does not `accept` HTML.

    `home` is the address that leads back to JupyterLab.
    """
    headers = {"Cache-Control": "no-store"}
    if "text/html" not in accept:
        body = msgspec.json.encode(problem_of(error))
        return ErrorPage({**headers, "Content-Type": "application/json"}, body)
    if isinstance(error, WrongState | Unavailable):
        headers["Refresh"] = _AGAIN
    headers["Content-Type"] = "text/html; charset=utf-8"
    headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    text = _PAGE.format(
        title="This session cannot be shown",
        message=escape(error.message),
        hint=escape(error.hint),
        home=escape(home),
    )
    return ErrorPage(headers, text.encode())
