"""Say what a change of settings would mean for those who run, when GPUs are taken back later."""

from __future__ import annotations

from datetime import datetime

from ..model.quota import Project, Rules
from ..model.sessions import Session
from .lifetime import end_of
from .line import holds, safe_until
from .plans import Situation


def foresight(before: Situation, after: Situation) -> tuple[str, ...]:
    """Say who could be made to leave from now on, with how much time, if not who would be."""
    exposed = [
        s
        for s in before.sessions
        if holds(s) and s.preemptible and s.placement and s.placement.slices
    ]
    safe, later = _safe(exposed, before), _safe(exposed, after)
    old, new = before.rules, after.rules
    told = [
        _count(len(safe - later), "would have run long enough to be made to leave"),
        _count(len(later - safe), "would not have run long enough to be made to leave"),
    ]
    if old.grace != new.grace:
        what = f"would have {new.grace} s to end, instead of {old.grace} s, when made to leave"
        told.append(_count(len(exposed), what))
    if new.consolidate and not old.consolidate:
        told.append(_count(len(exposed) - len(later), "could be moved to make room"))
    elif old.consolidate and not new.consolidate:
        told.append(_count(len(exposed) - len(safe), "could not be moved any more"))
    return tuple(text for text in (*told, *_lives(before, after)) if text)


def _lives(before: Situation, after: Situation) -> tuple[str, str]:
    """Say who would be stopped at another time because of how long sessions may run."""
    old, new = ({p.name: p for p in situation.projects} for situation in (before, after))
    ends = [
        (end_of(s, old.get(s.spec.project)), end_of(s, new.get(s.spec.project)))
        for s in before.sessions
    ]
    sooner = sum(b is not None and b > after.now and (a is None or b < a) for a, b in ends)
    longer = sum(a is not None and (b is None or b > a) for a, b in ends)
    return _count(sooner, "would have to end sooner"), _count(longer, "could run longer")


def _safe(sessions: list[Session], situation: Situation) -> set[str]:
    """Name the sessions that have not run long enough to be made to leave."""
    projects = {p.name: p for p in situation.projects}
    return {s.id for s in sessions if _until(s, projects, situation.rules) > situation.now}


def _until(session: Session, projects: dict[str, Project], rules: Rules) -> datetime:
    project = projects.get(session.spec.project)
    return safe_until(session, max(rules.min_runtime, project.min_runtime if project else 0))


def _count(count: int, what: str) -> str:
    return f"{count} session{'' if count == 1 else 's'} {what}" if count else ""
