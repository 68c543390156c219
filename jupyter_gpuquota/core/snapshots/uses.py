"""The room that snapshots take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ...model.snapshots.snapshots import Snapshot, SnapshotUse


def sum_up(snapshots: Iterable[Snapshot]) -> tuple[SnapshotUse, ...]:
    """Return the sizes of snapshots by project and owner, both sorted."""
    found: dict[tuple[str, str], list[Snapshot]] = defaultdict(list)
    for each in snapshots:
        found[each.project, each.owner].append(each)
    return tuple(
        SnapshotUse(
            project=project,
            owner=owner,
            snapshots=len(items),
            size=sum(each.size for each in items),
            added=sum(each.added or 0 for each in items),
            unknown=sum(each.added is None for each in items),
        )
        for (project, owner), items in sorted(found.items())
    )
