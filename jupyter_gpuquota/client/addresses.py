"""Where a session is shown: below the base URL of the JupyterLab whose ingress leads to it."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError, InvalidFields, NoServer, Unsupported
from ..model.sessions import Session, SessionSpec
from .context import Context
from .names import find
from .steps import Operation, look


def url(context: Context, name: str, *, project: str = "", port: int = 0) -> Operation[str]:
    """Tell the URL at which a JupyterLab of this account shows a session; it holds no token.

    `port` names one of the ports that the session exposes. Raises Unsupported for a session with
    nothing to show, NoServer if no JupyterLab shows it.
    """
    session = yield from find(context, name, project)
    path = session.path + place_of(session.spec, port)
    transport = yield from look(context.transport)
    if transport.url:
        return f"{transport.url}{path}"
    labs = yield from look(context.labs)
    shown_at = session.spec.base_url
    for lab in labs:
        if lab.base_url == shown_at:
            return f"{lab.url.rstrip('/')}/{path}"
    if labs:
        raise NoServer(
            f"{session.spec.name} is shown at the base URL {shown_at}, where no JupyterLab of "
            f"yours runs; there is one at {labs[0].url}.",
            hint="Suspend and resume the session, and it is shown there.",
        )
    raise NoServer(
        "No JupyterLab with jupyter_gpuquota runs under your account on this machine.",
        hint="Start one with `jupyter lab`, then ask again.",
    )


def urls(context: Context, sessions: Sequence[Session]) -> Operation[dict[str, str]]:
    """Return the URLs of the sessions that may be opened, by id, where a JupyterLab shows them."""
    shown = [session for session in sessions if "open" in session.actions]
    if not shown:
        return {}
    transport = yield from look(context.transport)
    if transport.url:
        return {s.id: f"{transport.url}{s.path}{place_of(s.spec)}" for s in shown}
    labs = {lab.base_url: lab.url.rstrip("/") for lab in (yield from look(context.labs))}
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
        problem = FieldError("port", f"{spec.name} does not expose port {port}.", hint)
        raise InvalidFields(problem.message, hint=hint, fields=(problem,))
    if port or spec.serves_jupyter:
        return f"p/{port}/" if port else ""
    if not known:
        raise Unsupported(
            f"{spec.name} runs a command and exposes no port: there is nothing to open.",
            hint="Its log shows what it prints.",
        )
    return f"p/{spec.ports[0]}/"
