"""Say what went wrong at the ingress: a page for people, JSON for programs."""

from __future__ import annotations

from html import escape
from typing import Any

import msgspec
from tornado import web

from ...api.statuses import error_of, problem_of, status_of
from ...errors import GpuQuotaError, Unavailable, WrongState
from .visit import Visitor

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


def write_error(handler: Visitor, status: int, raised: Any) -> None:
    """Write an error in the shape that its reader wants."""
    error = raised[1] if raised else None
    if isinstance(error, GpuQuotaError):
        status = status_of(error)
    else:
        said = error.log_message or "" if isinstance(error, web.HTTPError) else ""
        error = error_of(status, said)
    handler.clear()
    handler.set_status(status)
    handler.set_header("Cache-Control", "no-store")
    if "text/html" not in handler.request.headers.get("Accept", ""):
        handler.set_header("Content-Type", "application/json")
        handler.finish(msgspec.json.encode(problem_of(error)))
        return
    if isinstance(error, WrongState | Unavailable):
        handler.set_header("Refresh", _AGAIN)
    handler.set_header("Content-Type", "text/html; charset=utf-8")
    handler.set_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
    handler.finish(
        _PAGE.format(
            title="This session cannot be shown",
            message=escape(error.message),
            hint=escape(error.hint),
            home=escape(f"{handler.base_url}lab"),
        )
    )
