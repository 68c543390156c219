"""The tokens of sessions' Jupyter Servers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

import msgspec

from ...errors import Unavailable
from ...model.sessions import Session
from ..api import Api
from ..names import TOKEN_KEY, object_name
from ..resources import SECRETS

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
