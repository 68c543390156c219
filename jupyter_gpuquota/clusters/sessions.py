"""The sessions of all clusters."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ..control.board import Board
from ..model.about import Revisions
from ..model.ending import PageReport
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import Session, SessionSpec
from ..model.volumes.mounts import Mount
from ..ports.changes import Changes
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


_BETWEEN = "."


class UnitedChanges:
    """A revision is those of all clusters one after the other; `own` is of what has none."""

    def __init__(self, members: Members, own: Board) -> None:
        self._members = members
        self._own = own

    @property
    def instance(self) -> str:
        """The id of this run of the controller."""
        return self._own.instance

    def revision(self, noun: str) -> str:
        """Return the revision of a noun."""
        return _BETWEEN.join([self._own.revision(noun), *(c.revision(noun) for c in self._each())])

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` differs from `since`, or `timeout` seconds; return all revisions."""
        sources = [self._own, *self._each()]
        known = since.split(_BETWEEN)
        if len(known) == len(sources):
            await _first_change(sources, known, timeout)
        found = [await source.changed("", 0) for source in sources]
        nouns = {noun: [each.nouns.get(noun, "") for each in found] for noun in found[0].nouns}
        return Revisions(
            instance=self.instance,
            latest=_BETWEEN.join(each.latest for each in found),
            nouns={noun: _BETWEEN.join(each) for noun, each in nouns.items()},
        )

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins; those of other clusters begin with their names."""
        first, *others = self._members.members.values()
        said = [
            f"{member.name}: {text}"
            for member in others
            for text in member.backend.changes.warnings()
        ]
        own = (*self._members.problems(), *self._own.warnings())
        return (*first.backend.changes.warnings(), *said, *own)

    def _each(self) -> list[Changes]:
        return [member.backend.changes for member in self._members.members.values()]


async def _first_change(
    sources: Sequence[Changes | Board], known: Sequence[str], timeout: float
) -> None:
    """Return once one of the revisions is another one, or after `timeout` seconds."""
    waits = [
        asyncio.ensure_future(source.changed(since, timeout))
        for source, since in zip(sources, known, strict=True)
    ]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
