"""The planning port, implemented with our own scheduling core."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from ..core.forecast import impact, previews, waiting
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project
from ..model.sessions import SessionSpec
from .board import Board, snapshot_of


class OwnPlanning:
    """Simulates scheduling cycles on the state of the board.

    With thousands of sessions a cycle takes noticeable time, so it runs in a thread, on immutable
    data.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user."""
        snapshot = snapshot_of(self._board, datetime.now(UTC))
        return await asyncio.to_thread(previews.preview, spec, snapshot)

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound."""
        session = self._board.find(session_id)
        expected = None
        if session.state == "waiting":
            snapshot = snapshot_of(self._board, datetime.now(UTC))
            expected = (await asyncio.to_thread(waiting.starts, snapshot)).get(session_id)
        return QueuePosition(
            session=session_id,
            reason=session.reason,
            position=session.queue_position,
            expected=expected,
        )

    def starts(self) -> Mapping[str, datetime]:
        """Map queued sessions to when they should start, as last played ahead."""
        return self._board.starts.by_session

    async def try_change(self, project: Project) -> ChangePreview:
        """Return the effect of a project, new or changed, on the present state."""
        before = snapshot_of(self._board, datetime.now(UTC))
        named = {**{each.name: each for each in before.projects}, project.name: project}
        return await asyncio.to_thread(impact.compare, before, tuple(named.values()))
