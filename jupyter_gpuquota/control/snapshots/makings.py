"""Snapshots that are being made, or could not be made."""

from __future__ import annotations

import msgspec

from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import Snapshot
from ...model.struct import Problem


class Making(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot that is being made, or could not be made."""

    order: SnapshotOrder
    paused: bool = False
    problem: Problem | None = None

    def of(self, session: str) -> bool:
        """Return whether it goes on, and is of a session with this id."""
        return self.problem is None and self.order.draft.session == session

    @property
    def shown(self) -> Snapshot:
        """The snapshot as it is listed."""
        draft = self.order.draft
        return Snapshot(
            id=self.order.id,
            session=draft.session,
            name=draft.name,
            project=draft.project,
            owner=draft.owner,
            created=draft.created,
            note=draft.note,
            tags=draft.tags,
            trigger=draft.trigger,
            parent=draft.parent,
            state="failed" if self.problem else "making",
            consistency=draft.consistency,
            metrics=draft.metrics,
            problem=self.problem,
            job=self.order.id,
        )
