"""The audit log's entries about admins who enter sessions of others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..core.access import Caller
from ..model.sessions import Session

Note = Callable[[str, str], Awaitable[object]]
"""Adds what a person did to the audit log. Raises StorageFailed."""


class EntryLog:
    """Records that admins entered sessions of others."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._opened: set[tuple[str, str, int]] = set()

    async def entered(self, caller: Caller, session: Session, how: str) -> None:
        """Record that an admin entered a session; that one opened it, once per run.

        Raises StorageFailed; the admin must not enter then.
        """
        key = (caller.name, session.id, session.run)
        if how == "opened" and key in self._opened:
            return
        name = f"{session.spec.project}/{session.spec.name}"
        await self._note(caller.name, f"{how} the session {name} of {session.owner}")
        if how == "opened":
            self._opened.add(key)
