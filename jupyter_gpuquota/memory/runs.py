"""Runs of sessions that never ran: those that were put here."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ..model.snapshots.runs import RunList


class MemoryRuns:
    """The runs of sessions by their ids."""

    def __init__(self) -> None:
        self.known: dict[str, RunList] = {}
        self.tags: dict[str, dict[str, str]] = {}

    async def of(self, session_id: str) -> RunList:
        """Return the runs of a session."""
        found = self.known.get(session_id, RunList())
        snapshots = {run: tags.get("gpuquota.snapshot", "") for run, tags in self.tags.items()}
        items = tuple(replace(run, snapshot=snapshots.get(run.id, "")) for run in found.items)
        return replace(found, items=items)

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run, which cannot fail."""
        self.tags.setdefault(run, {}).update(tags)
        return ""
