"""A session as the client returns it, and the table of several."""

from __future__ import annotations

from collections.abc import Callable

from ..model.resources import Isolation
from ..model.sessions import Session
from .connection.context import Context
from .listing import Table
from .urls import urls


class ClientSession(Session, frozen=True, kw_only=True, dict=True, gc=True):
    """A session with its URL, which only the client knows."""

    @property
    def gpus(self) -> float:
        """The GPUs that it holds, 0.0 while it holds none."""
        return held_gpus(self)

    @property
    def url(self) -> str:
        """The URL at which a JupyterLab of this account shows it.

        Empty if it cannot be opened now, or if no JupyterLab shows it. May send requests to the
        JupyterLabs of this machine; the URL holds no token.
        """
        find: Callable[[Session], str] = self.__dict__.get("find_url", lambda _: "")
        return find(self)


def with_url(context: Context, session: Session) -> ClientSession:
    """Return a session that knows its URL."""
    fields = {name: getattr(session, name) for name in session.__struct_fields__}
    made = ClientSession(**fields)
    made.__dict__["find_url"] = lambda one: urls(context, [one]).get(one.id, "")
    return made


def held_gpus(session: Session) -> float:
    """Return the GPUs that a session holds, 0.0 while it holds none."""
    return session.placement.milli / 1000 if session.placement else 0.0


def isolation_short(isolation: Isolation) -> str:
    """Return what limits a share, in a few letters."""
    if isolation.memory == isolation.compute:
        return isolation.memory
    return f"memory {isolation.memory}, compute {isolation.compute}"


SESSIONS = Table[Session](
    columns={
        "name": lambda s: s.spec.name,
        "status": lambda s: s.state,
        "project": lambda s: s.spec.project,
        "user": lambda s: s.owner,
        "kind": lambda s: s.spec.kind,
        "share": lambda s: s.spec.share.text,
        "gpus": held_gpus,
        "simulated": lambda s: s.simulated,
        "node": lambda s: s.placement.node if s.placement else "",
        "isolation": lambda s: isolation_short(s.isolation) if s.isolation else "",
        "environment": lambda s: s.spec.environment,
        "image": lambda s: s.spec.image,
        "created": lambda s: s.created,
        "started": lambda s: s.started,
        "reason": lambda s: s.reason.message if s.reason else "",
        "idle_since": lambda s: s.idle.since if s.idle else None,
        "idle_acts": lambda s: s.idle.acts if s.idle else None,
        "ends": lambda s: s.ends,
        "kept_until": lambda s: s.kept.until if s.kept else None,
        "id": lambda s: s.id,
    },
    shown=("name", "status", "project", "user", "kind", "share", "node", "created"),
    empty="No sessions.",
)
"""Times are aware of their zone; `gpus` is what a session holds."""
