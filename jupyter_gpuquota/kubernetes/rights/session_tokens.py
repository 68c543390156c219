"""The tokens of sessions: random, in their Secrets, and beginning with the session's id."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Awaitable, Callable

from ...control.answers import Answers, Clock
from ...errors import Unavailable
from ...model.sessions import LIVE, Session
from ..api import Fault

Find = Callable[[str], Session | None]
"""Returns the session with an id, None if there is none. From memory."""

TokenOf = Callable[[Session], Awaitable[str]]
"""Reads the token of a session's run. Raises Fault, Unavailable."""

_KNOWN = 60.0
_UNREADABLE = 5.0


def new_token(session_id: str) -> str:
    """Return a new token for a session."""
    return f"{session_id}.{secrets.token_urlsafe(32)}"


class SessionTokens:
    """Finds the sessions to which tokens were issued.

    A token names its session, so an unknown one costs no request. Of a session whose token cannot
    be read, it is tried every few seconds, however many tokens are presented for it.
    """

    def __init__(self, find: Find, token_of: TokenOf, clock: Clock = time.monotonic) -> None:
        self.find = find
        self._token_of = token_of
        self._read: Answers[tuple[str, int], str | Unavailable] = Answers(
            lambda issued: _KNOWN if isinstance(issued, str) else _UNREADABLE, clock=clock
        )

    async def session_of(self, token: str) -> Session | None:
        """Return the live session of a token; None for any other token. Raises Unavailable."""
        session = self.find(token.partition(".")[0])
        if session is None or session.state not in LIVE:
            return None
        issued = await self._read.get((session.id, session.run), lambda: self._issued(session))
        if isinstance(issued, Unavailable):
            raise issued
        return session if hmac.compare_digest(issued.encode(), token.encode()) else None

    async def _issued(self, session: Session) -> str | Unavailable:
        """Return the token of a session's run, or why it cannot be read now."""
        try:
            return await self._token_of(session)
        except Unavailable as error:
            return error
        except Fault as fault:
            return Unavailable(
                f"The session's token cannot be checked: {fault}.", hint="Try again in a moment."
            )
