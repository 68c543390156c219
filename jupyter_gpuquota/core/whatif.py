"""Say what a change of projects would do, by playing it on the present state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from ..model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ..model.quota import Project
from ..model.resources import gpus_text
from ..model.sessions import Session
from . import lifecycle
from .instant import carry_out
from .members import doubts
from .plans import Plan, Situation
from .scheduling import plan

_ROUNDS = 50
"""Rounds until all is at rest; each but the last starts or stops something."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Be the state in which nothing happens any more by itself."""

    sessions: Mapping[str, Session]
    fair: Mapping[str, int]

    def allocated(self, project: str) -> int:
        """Sum what a project holds, in milli-GPU."""
        own = (s for s in self.sessions.values() if s.spec.project == project)
        return sum(s.placement.milli for s in own if s.placement)


def compare(situation: Situation, projects: Sequence[Project]) -> ChangePreview:
    """Say what would be different with other projects, once all has come to rest."""
    before, after = settle(situation), settle(replace(situation, projects=projects))
    names = dict.fromkeys([p.name for p in (*situation.projects, *projects)])
    old = {p.name: p.quota for p in situation.projects}
    new = {p.name: p.quota for p in projects}
    effects = tuple(
        ProjectEffect(
            name=name,
            quota_before=old.get(name, 0),
            quota=new.get(name, 0),
            fair_before=before.fair.get(name, 0),
            fair=after.fair.get(name, 0),
            allocated_before=before.allocated(name),
            allocated=after.allocated(name),
        )
        for name in names
    )
    sessions = tuple(
        effect
        for session_id, session in before.sessions.items()
        if (effect := _effect(session, after.sessions[session_id]))
    )
    return ChangePreview(
        message=_sum_up(sessions, effects),
        projects=effects,
        sessions=sessions,
        warnings=doubts(projects, situation.nodes),
    )


def settle(situation: Situation) -> Rest:
    """Play rounds until nothing changes; whoever leaves is thought to have left at once."""
    sessions = {s.id: _left(s, situation) for s in situation.sessions}
    decided = Plan((), ())
    for _ in range(_ROUNDS):
        # Claims are told apart by their time.
        situation = replace(situation, now=situation.now + timedelta(microseconds=1))
        decided = plan(replace(situation, sessions=tuple(sessions.values())))
        if not carry_out(decided, sessions, situation.now):
            break
    return Rest(sessions, decided.fair)


def _left(session: Session, situation: Situation) -> Session:
    if session.state == "stopping":
        return lifecycle.finish_end(session, situation.now)
    return session


def _effect(before: Session, after: Session) -> SessionEffect | None:
    name, project = before.spec.name, before.spec.project
    why = after.reason.message if after.reason else ""
    if after.placement and not before.placement and before.state == "waiting":
        text = f"{name} ({project}) would start on {after.placement.text}."
        return _of(before, "starts", text)
    if before.placement and not after.placement:
        text = f"{name} ({project}) would give its GPUs back and go in line again. {why}"
        return _of(before, "reclaimed", text.strip())
    changed = before.reason and after.reason and before.reason.code != after.reason.code
    if before.state == after.state == "waiting" and changed:
        return _of(before, "waits", f"{name} ({project}) would wait for another reason: {why}")
    return None


def _of(session: Session, effect: Effect, message: str) -> SessionEffect:
    return SessionEffect(
        session=session.id,
        name=session.spec.name,
        project=session.spec.project,
        effect=effect,
        message=message,
    )


def _sum_up(sessions: Sequence[SessionEffect], projects: Sequence[ProjectEffect]) -> str:
    counts = [
        (sum(s.effect == "starts" for s in sessions), "would start"),
        (sum(s.effect == "reclaimed" for s in sessions), "would be reclaimed"),
        (sum(s.effect == "waits" for s in sessions), "would wait for another reason"),
    ]
    parts = [_count(count, what) for count, what in counts if count]
    parts += [
        f"{p.name} would have a fair share of {gpus_text(p.fair)} GPU instead of "
        f"{gpus_text(p.fair_before)}"
        for p in projects
        if p.fair != p.fair_before
    ]
    if not parts:
        return "Nothing would change for the sessions that there are."
    return ". ".join(parts) + "."


def _count(count: int, what: str) -> str:
    return f"{count} session{'' if count == 1 else 's'} {what}"
