"""The verbs that keep snapshots: tags, pins and rules."""

from __future__ import annotations

from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotRulesRequest,
    SnapshotSettings,
)
from ..namespace import Namespace


class Keeping(Namespace):
    """What decides how long snapshots stay."""

    def tag(self, snapshot: str, *tags: str) -> Snapshot:
        """Replace the tags of a snapshot."""
        body = SnapshotMarks(tags=tags)
        found: Snapshot = self._context.call("snapshots.mark", {"snapshot": snapshot}, body=body)
        return found

    def pin(self, snapshot: str, why: str = "") -> Snapshot:
        """Keep a snapshot whatever the rules say."""
        body = SnapshotPinRequest(why=why)
        found: Snapshot = self._context.call("snapshots.pin", {"snapshot": snapshot}, body=body)
        return found

    def unpin(self, snapshot: str) -> Snapshot:
        """Remove the pin of a snapshot."""
        found: Snapshot = self._context.call("snapshots.unpin", {"snapshot": snapshot})
        return found

    def settings(self) -> SnapshotSettings:
        """Return when snapshots are taken and removed by themselves."""
        found: SnapshotSettings = self._context.call("snapshots.settings")
        return found

    def put_settings(self, rules: SnapshotRulesRequest) -> SnapshotSettings:
        """Set when snapshots are taken and removed by themselves. Raises InvalidFields."""
        found: SnapshotSettings = self._context.call("snapshots.put_settings", body=rules)
        return found
