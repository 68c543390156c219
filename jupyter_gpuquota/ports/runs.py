"""Runs of sessions: what MLflow has recorded of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..model.snapshots.runs import RunList


class Runs(Protocol):
    """Reads and tags the runs of sessions, in the store that the session itself uses."""

    async def of(self, session_id: str) -> RunList:
        """Return the newest runs of a session, without secrets. Raises NotFound, WrongState."""

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run; return why that failed, empty if it has not. Raises NotFound."""
