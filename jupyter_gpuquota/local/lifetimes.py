"""End sessions that have lived as long as they may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from ..core import lifetime
from .folders import Record
from .settings import Settings


def changed(records: Iterable[Record], settings: Settings, now: datetime) -> Iterator[Record]:
    """Yield running sessions whose end is near, over, or another than before."""
    projects = {project.name: project for project in settings.projects}
    for record in records:
        session = record.session
        if session.state != "running":
            continue
        project = projects.get(session.spec.project)
        ends = lifetime.bound(session, project, settings.policy, now)
        bounded = msgspec.structs.replace(session, ends=ends)
        over = ends is not None and ends <= now
        after = lifetime.end(bounded, now) if over else lifetime.warn(bounded, now)
        if after != session:
            yield msgspec.structs.replace(record, session=after)
