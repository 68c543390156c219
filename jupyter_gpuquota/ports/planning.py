"""What the engine would decide."""

from __future__ import annotations

from typing import Protocol

from ..model.previews import Preview
from ..model.projects import ChangePreview, SettingsChange
from ..model.sessions import QueuePosition, SessionSpec


class Planning(Protocol):
    """What foresees what the engine that decides would do."""

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return what would happen to a checked request."""

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session waits, and where it stands. Raises NotFound."""

    async def try_change(self, change: SettingsChange) -> ChangePreview:
        """Return what a change of settings would do to the present state.

        Raises InvalidFields with every broken field, NotFound.
        """
