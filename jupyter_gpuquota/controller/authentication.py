"""Authenticate callers by bearer tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from tornado.httputil import HTTPHeaders

from ..core.access import Caller
from ..errors import Unavailable
from ..ports.access import Access
from .authenticators.base import Authenticator
from .bearer import session_caller, token_in, unknown_token
from .rate_limit import AttemptLimit

_TRUSTED = 10_000
_OWN_WORDS = {"socket", "session"}
"""How only the controller itself identifies callers."""


class Authentication:
    """Identifies the callers on a network address.

    A token that was valid last time is checked again, but does not use an attempt: so guessing
    cannot lock out other users behind the same address.
    """

    def __init__(
        self, authenticators: Sequence[Authenticator], access: Access, attempts: AttemptLimit
    ) -> None:
        self._authenticators = authenticators
        self._access = access
        self._attempts = attempts
        self._trusted: dict[bytes, None] = {}

    async def caller_of(self, address: str, headers: HTTPHeaders) -> Caller:
        """Return the caller of a request from a client's address.

        Raises NotAuthenticated, TooManyAttempts, and Unavailable if tokens cannot be checked.
        """
        token = token_in(headers)
        digest = hashlib.sha256(token.encode()).digest()
        known = digest in self._trusted
        if not known:
            self._attempts.spend(address)
        caller = await self._identify(token)
        self._trusted.pop(digest, None)
        if caller is None:
            raise unknown_token()
        if not known:
            self._attempts.refund(address)
        self._trusted[digest] = None
        if len(self._trusted) > _TRUSTED:
            del self._trusted[next(iter(self._trusted))]
        return caller

    async def _identify(self, token: str) -> Caller | None:
        """Return the owner of a token. Sessions first: authenticators never see their tokens."""
        if session := await session_caller(self._access, token):
            return session
        unavailable: Unavailable | None = None
        for authenticator in self._authenticators:
            try:
                if found := await authenticator.authenticate(token):
                    return _outside(found)
            except Unavailable as error:
                unavailable = error
        if unavailable:
            raise unavailable
        return None


def _outside(caller: Caller) -> Caller:
    """Return a caller without what no authenticator can know: account and session of a process."""
    known = "" if caller.known in _OWN_WORDS else caller.known
    return replace(caller, known=known, session="", inside="")
