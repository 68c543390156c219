"""Where sessions are reached.

In the cluster, at their Services; from outside, through port-forwards of the API server. Only the
owner's pages are shown at a JupyterLab's own origin: the use case checks that before it asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...control.signals.presence import Presence
from ...core.exposure import check_exposed
from ...model.addresses import address_of
from ...model.idleness import PresenceRequest
from ...model.sessions import Endpoint, Session
from ..names import JUPYTER_PORT, service_host
from .forwards import Forwards
from .tokens import Tokens

_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
"""The variable that every container of a cluster has."""


def forwards_ports(reach: str, environment: Mapping[str, str]) -> bool:
    """Return whether sessions are reached through port-forwards.

    `reach` is `service`, `port-forward`, or `auto`: by whether we run in a cluster.
    """
    return reach == "port-forward" or (reach == "auto" and _IN_CLUSTER not in environment)


class KubeIngress:
    """Finds where sessions listen. Without `forwards` they are reached at their Services."""

    def __init__(
        self,
        find: Callable[[str], Session],
        forwards: Forwards | None,
        tokens: Tokens,
        presence: Presence,
    ) -> None:
        self._find = find
        self._forwards = forwards
        self._tokens = tokens
        self._presence = presence

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a session listens. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        session = self._find(session_id)
        check_exposed(session, port)
        return await self.locate(session, port)

    async def locate(self, session: Session, port: int = 0) -> Endpoint:
        """Return where a port of a session is reached, with the token of its Jupyter Server."""
        headers = {} if port else {"Authorization": f"token {await self._tokens.of(session)}"}
        inside = port or JUPYTER_PORT
        return Endpoint(
            host=service_host(session),
            port=inside,
            base_url="/" if port else address_of(session, "/"),
            headers=headers,
            socket=str(self._forwards.open(session, inside)) if self._forwards else "",
        )

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
        await self._presence.record(self._find(session_id), seen)
