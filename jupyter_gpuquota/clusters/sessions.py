"""The sessions of all clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.ending import PageReport
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import Session, SessionSpec
from ..model.volumes.mounts import Mount
from ..ports.sessions import Sessions
from .members import Members


class UnitedSessions:
    """Passes each call on to the cluster that has the session, or its project."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._from: list[tuple[Session, ...]] = []
        self._all: tuple[Session, ...] = ()
        self._by_id: Mapping[str, Session] = {}

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first: the same tuple while nothing has changed."""
        found = [backend.sessions.all() for backend in self._members.usable()]
        if len(found) != len(self._from) or any(
            new is not old for new, old in zip(found, self._from, strict=True)
        ):
            self._from = found
            self._all = merged(found)
            self._by_id = {session.id: session for session in self._all}
        return self._all

    def by_id(self) -> Mapping[str, Session]:
        """Return all sessions by their ids."""
        self.all()
        return self._by_id

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request."""
        sessions = self._members.of(spec.project).sessions
        return await sessions.create(spec, owner, session_id)

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session."""
        return await self._of(session_id).stop(session_id, why)

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to suspend a session."""
        return await self._of(session_id).suspend(session_id, why)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue."""
        return await self._of(session_id).resume(session_id, base_url)

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and more volumes."""
        return await self._of(session_id).resize(session_id, share, added)

    async def delete(self, session_id: str) -> None:
        """Delete a session."""
        await self._of(session_id).delete(session_id)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never started."""
        return await self._of(session_id).withdraw(session_id)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page."""
        await self._of(session_id).put_page(session_id, page, report)

    def _of(self, session_id: str) -> Sessions:
        return self._members.having(session_id).sessions


def merged(found: Sequence[tuple[Session, ...]]) -> tuple[Session, ...]:
    """Return sessions of several clusters by when they were created; one cluster as it is."""
    first, *others = found
    if not any(others):
        return first
    every = (session for sessions in found for session in sessions)
    return tuple(sorted(every, key=lambda session: session.created))
