"""The port `Sessions` on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import msgspec

from ..control.board import Board
from ..control.ending.open_pages import OpenPages
from ..control.new_session import new_session
from ..core import lifecycle, names
from ..model.ending import PageReport
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import LIVE, Goal, Session, SessionSpec
from ..model.volumes.mounts import Mount
from .faults import translated
from .reconcile.reconciler import Change, Reconciler


class ClusterSessions:
    """Creates, stops, resumes and deletes sessions; what a user asks for is written first."""

    def __init__(self, board: Board, reconciler: Reconciler, pages: OpenPages) -> None:
        self._board = board
        self._reconciler = reconciler
        self._pages = pages

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        return self._board.sessions

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request.

        Raises NameTaken, InvalidFields, NotAllowed, Unavailable; the other methods, too, raise the
        last two.
        """
        if known := self._board.by_id.get(session_id):
            return known
        names.check_free(spec, self._board.sessions)
        session = new_session(spec, owner, datetime.now(UTC), session_id)
        with translated():
            return await self._reconciler.create(session)

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session. Raises NotFound, WrongState."""
        return await self._end(session_id, "stop", why)

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session, keeping its request. Raises NotFound, WrongState."""
        return await self._end(session_id, "suspend", why)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue. Raises NotFound, WrongState."""

        def again(session: Session) -> Session:
            queued = lifecycle.request_resume(session, datetime.now(UTC))
            spec = msgspec.structs.replace(queued.spec, base_url=base_url or queued.spec.base_url)
            return msgspec.structs.replace(queued, spec=spec)

        return await self._change(session_id, again)

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and more volumes. Raises NotFound, WrongState."""
        change = partial(lifecycle.request_resize, share=share, now=datetime.now(UTC), added=added)
        return await self._change(session_id, change)

    async def delete(self, session_id: str) -> None:
        """Delete a session and its objects. Raises NotFound, WrongState."""
        with translated():
            await self._reconciler.delete(session_id, lifecycle.check_deletable)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never had a pod on a node. Raises NotFound."""
        with translated():
            return await self._reconciler.withdraw(session_id)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page. Raises NotFound."""
        session = self._board.find(session_id)
        if session.state in LIVE:
            self._pages.put(session, page, report)
        if session.is_saving:
            self._reconciler.wake(session_id)

    async def _end(self, session_id: str, goal: Goal, why: Reason | None) -> Session:
        change = partial(lifecycle.request_end, goal=goal, now=datetime.now(UTC), why=why)
        return await self._change(session_id, change)

    async def _change(self, session_id: str, change: Change) -> Session:
        with translated():
            return await self._reconciler.change(session_id, change)
