"""Where sessions are reached: at their Services, or through port-forwards of the API server."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.addresses import address_of
from ...model.sessions import Endpoint, Session
from ..api import Fault
from ..names import JUPYTER_PORT, service_host
from ..session_pods import refusal
from .forwards import Forwards
from .tokens import Tokens

_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
"""The variable that every container of a cluster has."""


def forwards_ports(reach: str, environment: Mapping[str, str]) -> bool:
    """Return whether sessions are reached through port-forwards.

    `reach` is `service`, `port-forward`, or `auto`: by whether we run in a cluster.
    """
    return reach == "port-forward" or (reach == "auto" and _IN_CLUSTER not in environment)


class Locator:
    """Returns endpoints of sessions. Without `forwards` they are reached at their Services."""

    def __init__(self, tokens: Tokens, forwards: Forwards | None) -> None:
        self._tokens = tokens
        self._forwards = forwards

    async def __call__(self, session: Session, port: int = 0) -> Endpoint:
        """Return where a port is reached; 0 is the Jupyter Server, with its token.

        Raises Unavailable, NotAllowed.
        """
        headers = {} if port else {"Authorization": f"token {await self._token(session)}"}
        inside = port or JUPYTER_PORT
        return Endpoint(
            host=service_host(session),
            port=inside,
            base_url="/" if port else address_of(session),
            headers=headers,
            socket=str(self._forwards.open(session, inside)) if self._forwards else "",
        )

    async def _token(self, session: Session) -> str:
        try:
            return await self._tokens.of(session)
        except Fault as fault:
            raise refusal(session, fault) from fault
