"""The rights of callers in all clusters: each decides about its own."""

from __future__ import annotations

from dataclasses import replace

from ..core.access import Caller, Rights
from ..errors import Unavailable
from ..model.sessions import Session
from .members import Members


class UnitedAccess:
    """Asks every cluster; the entries of the audit log are in that of the first one."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's present rights.

        At a cluster that cannot be used, or cannot tell, a caller has none for now.
        """
        first = await self._members.first.backend.access.rights(caller)
        found = {member.name: Rights(caller) for member in self._members.others}
        for member in self._members.others:
            if not member.problem:
                try:
                    found[member.name] = await member.backend.access.rights(caller)
                except Unavailable as error:
                    found[member.name] = Rights(caller, unsure=error)
        roles = {name: role for each in found.values() for name, role in each.roles.items()}
        return replace(first, roles={**first.roles, **roles}, clusters=found)

    async def session_of(self, token: str) -> Session | None:
        """Return the live session to which a token was issued; None for any other token.

        Raises Unavailable if no cluster knows it, and one of them cannot tell.
        """
        problem: Unavailable | None = None
        for backend in self._members.usable():
            try:
                if found := await backend.access.session_of(token):
                    return found
            except Unavailable as error:
                problem = error
        if problem:
            raise problem
        return None

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log what somebody did with another user's session, and why."""
        await self._members.first.backend.access.acted(caller, session, how, why)
