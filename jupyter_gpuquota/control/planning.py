"""Our own scheduling core behind the planning port."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from ..core import previews, settings_change, whatif
from ..model.previews import Preview
from ..model.projects import ChangePreview, SettingsChange
from ..model.sessions import QueuePosition, SessionSpec
from .board import Board


class OwnPlanning:
    """What plays rounds on the state of the board.

    With thousands of sessions a round takes long enough for others to notice: it runs in a thread,
    and nothing is shared.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return what would happen to a checked request."""
        situation = self._board.situation(datetime.now(UTC))
        return await asyncio.to_thread(previews.preview, spec, situation)

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session waits, and where it stands. Raises NotFound."""
        session = self._board.find(session_id)
        return QueuePosition(
            session=session_id, reason=session.reason, position=session.place_in_line
        )

    async def try_change(self, change: SettingsChange) -> ChangePreview:
        """Return what a change would do to the present state. Raises InvalidFields, NotFound."""
        board = self._board
        before = board.situation(datetime.now(UTC))
        present = settings_change.Present(before, board.found_nodes, board.settings.groups)
        after = settings_change.changed(change, present)
        return await asyncio.to_thread(whatif.compare, before, after)
