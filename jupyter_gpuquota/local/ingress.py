"""Tell where a session listens, and name no socket that is not its own."""

from __future__ import annotations

from ..errors import NotAllowed, WrongState
from ..model.sessions import Endpoint, Session
from . import processes
from .folders import SessionFolder
from .listeners import listens
from .readiness import find_server


def check_exposed(session: Session, port: int) -> None:
    """Raise WrongState for a session that does not run, NotAllowed for a port it hides."""
    if session.state != "running":
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running.",
            hint=_why(session) or "Open it once it runs.",
        )
    if port == 0 and not session.spec.serves_jupyter:
        raise NotAllowed(
            f"{session.spec.name} runs {session.spec.command[0]}, not a Jupyter Server.",
            hint="Its exposed ports can be opened." if session.spec.ports else "",
        )
    if port and port not in session.spec.ports:
        exposed = ", ".join(map(str, session.spec.ports)) or "none"
        raise NotAllowed(
            f"{session.spec.name} does not expose port {port}.",
            hint=f"It exposes: {exposed}. Ports are named at launch.",
        )


def find_endpoint(session: Session, folder: SessionFolder, port: int) -> Endpoint:
    """Find the socket behind a port. Raises WrongState while none of the session's listens."""
    name = session.spec.name
    if port == 0:
        server = find_server(folder, session.run)
        if server is None:
            raise WrongState(f"The Jupyter Server of {name} does not answer any more.")
        return server
    for pid in processes.members(session.id, folder.leader(session.run)):
        if host := listens(pid, port):
            return Endpoint(host=host, port=port)
    raise WrongState(
        f"Nothing of {name} listens on port {port} yet.",
        hint=f"Start the program that serves it, on 127.0.0.1 port {port}.",
    )


def _why(session: Session) -> str:
    """Say why a session does not run, and what to do: its page may be open all the same."""
    reason = session.reason
    return f"{reason.message} {reason.hint}".strip() if reason else ""
