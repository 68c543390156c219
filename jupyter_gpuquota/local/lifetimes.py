"""End sessions that have lived as long as they may."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from ..core import lifetime
from ..core.idleness import Event
from .board import Board
from .folders import Record


def changed(board: Board, now: datetime) -> Iterator[tuple[Record, Event]]:
    """Yield running sessions whose end is near, over, or another than before, and what happens."""
    settings = board.settings
    projects = {project.name: project for project in settings.projects}
    for record in board.records.values():
        session = record.session
        if session.state != "running":
            continue
        project = projects.get(session.spec.project)
        bounded = lifetime.bound(session, project, settings.policy, now)
        over = bounded.ends is not None and bounded.ends <= now
        after = lifetime.end(bounded, now) if over else lifetime.warn(bounded, now)
        warned = after.progress != session.progress
        if after != session:
            told = msgspec.structs.replace(record, session=after)
            yield told, "act" if over else "warn" if warned else ""
