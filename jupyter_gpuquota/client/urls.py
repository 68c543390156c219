"""Where a session is shown: below the base URL of the JupyterLab whose ingress leads to it."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError, NoServer, Unsupported, refused
from ..model.addresses import outer_base
from ..model.sessions import Session, SessionSpec
from .connection.context import Context


def url(context: Context, session: Session, port: int = 0) -> str:
    """Return the URL at which a JupyterLab of this account shows a session; it holds no token.

    `port` is one of those that the session exposes. Raises Unsupported for a session with nothing
    to show, NoServer if no JupyterLab shows it.
    """
    path = session.path + place_of(session.spec, port)
    transport = context.transport()
    if transport.url:
        return f"{outer_base(transport.url)}{path}"
    labs = [lab for lab in context.labs() if not lab.is_of_session]
    shown_at = session.spec.base_url
    for lab in labs:
        if lab.base_url == shown_at:
            return f"{lab.url.rstrip('/')}/{path}"
    if labs:
        raise NoServer(
            f"{session.spec.name} is shown at the base URL {shown_at}, where you have no running "
            f"JupyterLab; yours is at {labs[0].url}.",
            hint="Suspend and resume the session to show it there.",
        )
    raise NoServer(
        "No JupyterLab with jupyter_gpuquota runs under your account on this machine.",
        hint="Start one with `jupyter lab`, then try again.",
    )


def urls(context: Context, sessions: Sequence[Session]) -> dict[str, str]:
    """Return the URLs, by id, of the sessions that can be opened now."""
    shown = [session for session in sessions if "open" in session.actions]
    if not shown:
        return {}
    transport = context.transport()
    if transport.url:
        return {s.id: f"{outer_base(transport.url)}{s.path}{place_of(s.spec)}" for s in shown}
    labs = {lab.base_url: lab.url.rstrip("/") for lab in context.labs()}
    return {
        s.id: f"{labs[s.spec.base_url]}/{s.path}{place_of(s.spec)}"
        for s in shown
        if s.spec.base_url in labs
    }


def place_of(spec: SessionSpec, port: int = 0) -> str:
    """Return what follows a session's path: nothing for Jupyter, `p/<port>/` for a port.

    Raises InvalidFields for a port that it does not expose, Unsupported if it shows nothing.
    """
    known = ", ".join(map(str, spec.ports))
    if port and port not in spec.ports:
        hint = f"It exposes {known}." if known else "It exposes none: see --port of submit."
        raise refused(FieldError("port", f"{spec.name} does not expose port {port}.", hint))
    if port or spec.serves_jupyter:
        return f"p/{port}/" if port else ""
    if not known:
        raise Unsupported(
            f"{spec.name} runs a command and exposes no ports, so it has nothing to open.",
            hint="Its log shows what it prints.",
        )
    return f"p/{spec.ports[0]}/"
