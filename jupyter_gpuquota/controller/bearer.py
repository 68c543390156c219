"""Bearer tokens in requests, and the tokens of sessions."""

from __future__ import annotations

import re

from tornado.httputil import HTTPHeaders

from ..core.access import FOR_OWNER, Caller
from ..errors import NotAuthenticated
from ..ports.access import Access

AUTHORIZATION = "Authorization"

_CREDENTIALS = re.compile(r"(?:bearer|token)[ \t]+([!-~]{1,4096})[ \t]*", re.IGNORECASE)


def token_in(headers: HTTPHeaders) -> str:
    """Return the token of a request. Raises NotAuthenticated; no error shows what was sent."""
    found = headers.get_list(AUTHORIZATION)
    if not found:
        raise NotAuthenticated(
            "Not authenticated.", hint="Send a token as `Authorization: Bearer TOKEN`."
        )
    match = _CREDENTIALS.fullmatch(found[0])
    if match is None or len(found) > 1:
        raise NotAuthenticated(
            "The header Authorization is malformed.",
            hint="Send it once, as `Authorization: Bearer TOKEN`.",
        )
    return match[1]


async def session_caller(access: Access, token: str) -> Caller | None:
    """Return the session to which a token was issued, as a caller; None for any other token.

    With `FOR_OWNER` before it, the token acts for the owner, as programs in the session do on a
    socket. This is no second secret: who has the token can run programs in the session anyway.
    Raises Unavailable if it cannot be checked.
    """
    own = token.removeprefix(FOR_OWNER)
    session = await access.session_of(own)
    if session is None:
        return None
    if own != token:
        return Caller(session.owner, known="session", inside=session.id)
    return Caller(session.owner, known="session", session=session.id)


def unknown_token() -> NotAuthenticated:
    """Return the error for an unknown token."""
    return NotAuthenticated(
        "Unknown token.",
        hint="It may have expired, been revoked, or belong to another service.",
    )
