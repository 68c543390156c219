"""Which ports of a session may be reached."""

from __future__ import annotations

from ..errors import NotAllowed, WrongState
from ..model.sessions import Session
from .ending import served


def check_exposed(session: Session, port: int) -> None:
    """Raise WrongState for a session that is not served, NotAllowed for a port it hides.

    `port` 0 is its Jupyter Server.
    """
    if not served(session):
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running.",
            hint=_why(session) or "Open it when it is running.",
        )
    if port == 0 and not session.spec.serves_jupyter:
        raise NotAllowed(
            f"{session.spec.name} runs {session.spec.command[0]}, not a Jupyter Server.",
            hint="Open one of its exposed ports." if session.spec.ports else "",
        )
    if port and port not in session.spec.ports:
        exposed = ", ".join(map(str, session.spec.ports)) or "none"
        raise NotAllowed(
            f"{session.spec.name} does not expose port {port}.",
            hint=f"Exposed ports: {exposed}. Ports are set at launch.",
        )


def _why(session: Session) -> str:
    """Return why a session is not running, and what to do: its page may still be open."""
    reason = session.reason
    return f"{reason.message} {reason.hint}".strip() if reason else ""
