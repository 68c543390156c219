"""The rights of callers."""

from __future__ import annotations

from typing import Protocol

from ..core.access import Caller, Rights
from ..model.sessions import Session


class Access(Protocol):
    """Looks up the rights of callers; `core.access` decides by them."""

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's present rights."""

    async def session_of(self, token: str) -> Session | None:
        """Return the live session to which a token was issued; None for any other token.

        Raises Unavailable if it cannot be checked.
        """

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log what somebody did with another user's session, and why.

        `how` is a verb in the past: `opened`. Raises StorageFailed.
        """
