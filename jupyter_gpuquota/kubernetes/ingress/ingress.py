"""The ingress of sessions in a cluster.

Only the owner's pages are shown at a JupyterLab's own origin: the use case checks that before it
asks here.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping

import msgspec

from ...control.signals.presence import Presence
from ...core.hosts import check_exposed
from ...errors import Unavailable
from ...model.addresses import address_of
from ...model.idleness import PresenceRequest
from ...model.sessions import Endpoint, Session
from ..api import Api, Fault
from ..labels import JUPYTER_PORT, TOKEN_KEY, object_name, service_host
from ..resources import SECRETS
from ..session_pods import refusal
from .forwards import Forwards

_MANY = 4096


class _Secret(msgspec.Struct, frozen=True):
    """The values of a Secret, in base64."""

    data: Mapping[str, str] = msgspec.field(default_factory=dict)


class Tokens:
    """The tokens that were needed, in memory only."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._known: dict[tuple[str, int], str] = {}

    async def of(self, session: Session) -> str:
        """Return the token of a session, read from its Secret once a run.

        Raises Fault, and Unavailable for a Secret without a token.
        """
        key = (session.id, session.run)
        if key not in self._known:
            token = await self._read(session)
            if len(self._known) >= _MANY:
                self._known.clear()
            self._known[key] = token
        return self._known[key]

    async def _read(self, session: Session) -> str:
        name = object_name(session)
        body = await self._api.read(SECRETS.path(session.spec.project, name))
        try:
            data = msgspec.json.decode(body, type=_Secret).data
            token = base64.b64decode(data.get(TOKEN_KEY, ""), validate=True).decode()
        except (msgspec.MsgspecError, binascii.Error, UnicodeDecodeError):
            token = ""
        if not token or not token.isprintable():
            raise Unavailable(
                f"The Secret {name} of {session.spec.name} has no token.",
                hint="It was changed from outside: suspend and resume the session.",
            )
        return token


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


class KubeIngress:
    """Finds where sessions listen."""

    def __init__(self, find: Callable[[str], Session], locate: Locator, presence: Presence) -> None:
        self._find = find
        self._locate = locate
        self._presence = presence

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a session listens. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        session = self._find(session_id)
        check_exposed(session, port)
        return await self._locate(session, port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
        await self._presence.record(self._find(session_id), seen)
