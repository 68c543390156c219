"""End sessions that have lived as long as they may."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ..core import lifetime
from ..core.idleness import Event
from ..model.sessions import Session
from .board import Board


def changed(board: Board, now: datetime) -> Iterator[tuple[Session, Event]]:
    """Yield running sessions whose end is near, over, or another than before, and what happens."""
    settings = board.settings
    projects = {project.name: project for project in settings.projects}
    for session in board.sessions:
        if session.state != "running":
            continue
        project = projects.get(session.spec.project)
        bounded = lifetime.bound(session, project, settings.policy, now)
        over = bounded.ends is not None and bounded.ends <= now
        after = lifetime.end(bounded, now) if over else lifetime.warn(bounded, now)
        warned = after.progress != session.progress
        if after != session:
            yield after, "act" if over else "warn" if warned else ""
