"""The columns of snapshots and restores."""

from __future__ import annotations

from ...model.snapshots.restore import Restoration
from ...model.snapshots.snapshots import Snapshot
from ..listing import Table

SNAPSHOTS = Table[Snapshot](
    columns={
        "id": lambda each: each.short,
        "session": lambda each: each.name,
        "state": lambda each: each.state,
        "note": lambda each: each.note,
        "tags": lambda each: list(each.tags),
        "created": lambda each: each.created,
        "size": lambda each: each.size,
        "added": lambda each: each.added,
        "files": lambda each: each.files,
        "trigger": lambda each: each.trigger,
        "consistency": lambda each: each.consistency,
        "mechanism": lambda each: each.mechanism,
        "providers": lambda each: list(each.providers),
        "metrics": lambda each: dict(each.metrics),
        "pinned": lambda each: each.pin is not None,
        "problem": lambda each: each.problem.message if each.problem else "",
        "project": lambda each: each.project,
        "owner": lambda each: each.owner,
    },
    shown=("id", "session", "state", "note", "tags", "created", "size"),
    empty="No snapshots.",
)
"""Sizes are in bytes."""

RESTORES = Table[Restoration](
    columns={
        "id": lambda each: each.id,
        "snapshot": lambda each: each.snapshot[:12],
        "state": lambda each: each.state,
        "session": lambda each: each.name,
        "folder": lambda each: each.folder,
        "begun": lambda each: each.begun,
        "problem": lambda each: each.problem.message if each.problem else "",
    },
    shown=("snapshot", "state", "session", "folder", "problem"),
    empty="No restores go on or have ended within a day.",
)
