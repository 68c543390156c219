"""What a use case is given, whoever asked: Jupyter or the controller's socket."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..errors import NotFound
from ..model.sessions import Session
from ..ports.backend import Backend


@dataclass(frozen=True, slots=True)
class Call:
    """Carry one request: the route's path arguments, its decoded query and body, the user.

    `user` is the account or identity that was authenticated; nothing in the request names it.
    """

    user: str
    args: dict[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None


def find(backend: Backend, session_id: str) -> Session:
    """Find a session by id. Raises NotFound."""
    for session in backend.sessions():
        if session.id == session_id:
            return session
    raise NotFound(
        f"There is no session with the id {session_id!r}.",
        hint="It may have been deleted; list the sessions again.",
    )
