"""The audit log's entries about what admins and leads do with sessions of others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..core.access import Caller
from ..model.sessions import Session

Note = Callable[[str, str], Awaitable[object]]
"""Adds what a person did to the audit log. Raises StorageFailed."""


class EntryLog:
    """Records what admins and leads did with sessions of others."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._opened: set[tuple[str, str, int]] = set()

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record what somebody did with a session, and why; that they opened it, once per run.

        Raises StorageFailed.
        """
        key = (caller.name, session.id, session.run)
        if how == "opened" and key in self._opened:
            return
        name = f"{session.spec.project}/{session.spec.name}"
        said = f": {why}" if why else ""
        await self._note(caller.name, f"{how} the session {name} of {session.owner}{said}")
        if how == "opened":
            self._opened.add(key)
