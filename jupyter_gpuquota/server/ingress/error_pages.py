"""Errors of the ingress: a page for people, JSON for programs."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

import msgspec
from tornado import web

from ...errors import BadAnswer, GpuQuotaError, NotAllowed, NotFound, Unavailable, WrongState
from ...model.sessions import Session, State
from ...model.struct import problem_of

_RELOAD_AFTER = "5"
"""Seconds after which a page reloads itself: the session may be starting."""

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 36em; padding: 0 1em; }}
h1 {{ font-size: 1.3em; }}
button {{ font: inherit; padding: 0.3em 1.2em; }}
</style></head>
<body><main><h1>{title}</h1><p>{message}</p><p>{hint}</p>
{resume}{back}</main></body>
</html>
"""

_BACK = '<p><a href="{home}">Back to JupyterLab</a></p>'
_RESUME = '<p><button value="{url}">Resume</button> <span role="status"></span></p>\n{script}\n'
_SCRIPT = """
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');
button.onclick = async () => {
  button.disabled = true;
  const [, token] = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/) ?? [];
  const headers = token ? { 'X-XSRFToken': decodeURIComponent(token) } : {};
  const response = await fetch(button.value, { method: 'POST', headers });
  if (response.ok) {
    location.reload();
  } else {
    status.textContent = (await response.json()).message;
    button.disabled = false;
  }
};
"""

_BY_STATE: dict[State, str] = {
    "waiting": "{} is queued",
    "starting": "{} is starting",
    "running": "{} is not ready",
    "stopping": "{} is stopping",
    "suspended": "{} is suspended",
    "stopped": "{} is stopped",
    "done": "{} has finished",
    "failed": "{} failed",
}
_BY_ERROR: dict[type[GpuQuotaError], str] = {
    NotFound: "Session not found",
    NotAllowed: "Access denied",
    BadAnswer: "Invalid response from the session",
    Unavailable: "The session does not respond",
}
_STARTING = "This page opens as soon as the session is running."
_STOPPING = "Files and settings are kept. This page is updated when it has stopped."
_ENDED = "Files and settings are kept."


@dataclass(frozen=True, slots=True)
class Page:
    """The headers and the body of a response."""

    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Subject:
    """The session that could not be shown; `resume` is the URL that resumes it."""

    session: Session
    resume: str


def error_page(
    error: GpuQuotaError, home: str, accept: str, subject: Subject | None = None
) -> Page:
    """Return the page, or JSON if the client does not `accept` HTML.

    `home` is the address of JupyterLab, empty if unknown. With a `subject` the page shows the
    session's state and what to do about it.
    """
    headers = {"Cache-Control": "no-store"}
    if "text/html" not in accept:
        body = msgspec.json.encode(problem_of(error))
        return Page({**headers, "Content-Type": "application/json"}, body)
    if isinstance(error, WrongState | Unavailable):
        headers["Refresh"] = _RELOAD_AFTER
    headers["Content-Type"] = "text/html; charset=utf-8"
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    title, message, hint = _texts(error, subject)
    resume = ""
    if subject and "resume" in subject.session.actions:
        resume = _RESUME.format(url=escape(subject.resume), script=f"<script>{_SCRIPT}</script>")
        policy += f"; script-src {hash_source(_SCRIPT)}; connect-src 'self'"
    headers["Content-Security-Policy"] = policy
    text = _PAGE.format(
        title=escape(title),
        message=escape(message),
        hint=escape(hint),
        resume=resume,
        back=_back(home, subject),
    )
    return Page(headers, text.encode())


def _back(home: str, subject: Subject | None) -> str:
    """Return the link to JupyterLab, which shows the session there."""
    shown = f"?reveal={quote(subject.session.id)}" if subject else ""
    return _BACK.format(home=escape(home + shown)) if home else ""


def write_page(handler: web.RequestHandler, page: Page) -> asyncio.Future[None]:
    """Finish a response with a page and its headers."""
    for name, value in page.headers.items():
        handler.set_header(name, value)
    return handler.finish(page.body)


def hash_source(script: str) -> str:
    """Return the source that allows an inline script in a Content-Security-Policy."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _texts(error: GpuQuotaError, subject: Subject | None) -> tuple[str, str, str]:
    """Return title, message and hint."""
    session = subject.session if subject else None
    if session is None or session.state not in _BY_STATE:
        titles = (_BY_ERROR[cls] for cls in type(error).__mro__ if cls in _BY_ERROR)
        return next(titles, "The session is not available"), error.message, error.hint
    title = _BY_STATE[session.state].format(session.spec.name)
    if session.state == "running":
        return title, error.message, error.hint
    reason = session.reason
    if session.state in ("waiting", "starting", "stopping"):
        ends = session.state == "stopping" and session.goal in ("stop", "suspend")
        return title, reason.message if reason else "", _STOPPING if ends else _STARTING
    message = f"{reason.message} {reason.hint}".strip() if reason else ""
    return title, message, _ENDED
