"""Who may do what."""

from __future__ import annotations

from typing import Protocol

from ..core.access import Caller, Rights
from ..model.sessions import Session


class Access(Protocol):
    """What knows the rights of callers; `core.access` decides by them."""

    async def rights(self, caller: Caller) -> Rights:
        """Return what a caller may do now."""

    def session_of(self, token: str) -> Session | None:
        """Return the live session that a token was given to; None for any other token."""

    async def entered(self, caller: Caller, session: Session, how: str) -> None:
        """Note in the audit log that an admin entered a session of somebody else's."""
