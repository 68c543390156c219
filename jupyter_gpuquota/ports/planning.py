"""Forecasts of the engine's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project
from ..model.sessions import SessionSpec


class Planning(Protocol):
    """Forecasts what the scheduling engine would do."""

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user."""

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound."""

    def starts(self) -> Mapping[str, datetime]:
        """Map queued sessions, by id, to when they should start, where that is known; at once."""

    async def try_change(self, project: Project) -> ChangePreview:
        """Return the effect of a checked project, new or changed, on the present state.

        Raises Unsupported where only the cluster's engine knows.
        """
