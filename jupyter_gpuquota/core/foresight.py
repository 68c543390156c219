"""Say what a change of settings would mean for those who run, when GPUs are taken back later."""

from __future__ import annotations

from datetime import datetime

from ..model.quota import Project, Rules
from ..model.sessions import Session
from .line import holds, safe_until
from .plans import Situation


def foresight(before: Situation, after: Situation) -> tuple[str, ...]:
    """Say who could be made to leave from now on, with how much time, if not who would be."""
    exposed = [
        s
        for s in before.sessions
        if holds(s) and s.preemptible and s.placement and s.placement.slices
    ]
    if not exposed:
        return ()
    safe, later = _safe(exposed, before), _safe(exposed, after)
    old, new = before.rules, after.rules
    told = [
        _count(len(safe - later), "would have run long enough to be made to leave"),
        _count(len(later - safe), "would not have run long enough to be made to leave"),
    ]
    if old.grace != new.grace:
        what = f"would have {new.grace} s to end, instead of {old.grace} s, when made to leave"
        told.append(_count(len(exposed), what))
    if old.consolidate != new.consolidate:
        what = "could be moved to make room" if new.consolidate else "could not be moved any more"
        told.append(_count(len(exposed), what))
    return tuple(text for text in told if text)


def _safe(sessions: list[Session], situation: Situation) -> set[str]:
    """Name the sessions that have not run long enough to be made to leave."""
    projects = {p.name: p for p in situation.projects}
    return {s.id for s in sessions if _until(s, projects, situation.rules) > situation.now}


def _until(session: Session, projects: dict[str, Project], rules: Rules) -> datetime:
    project = projects.get(session.spec.project)
    return safe_until(session, max(rules.min_runtime, project.min_runtime if project else 0))


def _count(count: int, what: str) -> str:
    return f"{count} session{'' if count == 1 else 's'} {what}" if count else ""
