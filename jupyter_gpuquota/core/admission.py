"""Decide which waiting sessions start, and why the others wait.

The rule until quotas may be borrowed: within the project's quota and the free devices, otherwise
wait in order. Inside a project nobody overtakes (higher priority first, then older first); the
projects do not hold each other up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..model.quota import Project
from ..model.reasons import Reason
from ..model.resources import Node, Placement, gpus_text
from ..model.sessions import LIVE, Session
from .placement import Room, place, rooms
from .quota import cost


@dataclass(frozen=True, slots=True)
class Decision:
    """Be what becomes of one waiting session: a placement, or the reason why it waits.

    `ahead` counts the sessions of its project that stand before it.
    """

    session: str
    outcome: Placement | Reason
    ahead: int = 0


def held(sessions: Iterable[Session]) -> list[Placement]:
    """List the placements that are in use."""
    return [s.placement for s in sessions if s.placement is not None and s.state in LIVE]


def decide(
    sessions: Iterable[Session], projects: Sequence[Project], nodes: Sequence[Node]
) -> list[Decision]:
    """Decide on every waiting session, in the order in which they stand in line."""
    known = {project.name: project for project in projects}
    everyone = list(sessions)
    taken = held(everyone)
    free = rooms(nodes, taken)
    used: dict[str, int] = {}
    for session in everyone:
        if session.placement is not None and session.state in LIVE:
            name = session.spec.project
            used[name] = used.get(name, 0) + session.placement.milli
    waiting = sorted((s for s in everyone if s.state == "waiting"), key=line_key)
    blocked: dict[str, list[str]] = {}
    decisions = []
    for session in waiting:
        name = session.spec.project
        before = tuple(blocked.get(name, ()))
        outcome: Placement | Reason
        if before and session.spec.share.wants_gpu:
            outcome = _behind(before)
        else:
            outcome = _admit(session, known.get(name), used.get(name, 0), free, nodes)
        if isinstance(outcome, Placement):
            taken.append(outcome)
            free = rooms(nodes, taken)
            used[name] = used.get(name, 0) + outcome.milli
        else:
            blocked.setdefault(name, []).append(session.spec.name)
        decisions.append(Decision(session.id, outcome, len(before)))
    return decisions


def line_key(session: Session) -> tuple[int, object, str]:
    """Order the line: higher priority first, then older first."""
    return (-session.spec.priority, session.created, session.id)


def _home(nodes: Sequence[Node]) -> str:
    return nodes[0].name if nodes else "localhost"


def _admit(
    session: Session, project: Project | None, used: int, free: list[Room], nodes: Sequence[Node]
) -> Placement | Reason:
    """Check the quota before the devices: what a user can change about it is said first."""
    name, share = session.spec.project, session.spec.share
    asked = cost(share, nodes)
    refused = _over_quota(name, project, used, asked) if share.wants_gpu else None
    if refused:
        return refused
    outcome = place(share, free, _home(nodes))
    if isinstance(outcome, Placement) and outcome.milli > asked:
        return _over_quota(name, project, used, outcome.milli) or outcome
    return outcome


def _over_quota(name: str, project: Project | None, used: int, asked: int) -> Reason | None:
    if project is None:
        return Reason(
            code="QueueMissing",
            message=f"The project {name} does not exist any more.",
            hint="Ask an admin, or launch it in another project.",
        )
    if used + asked <= project.quota:
        return None
    return Reason(
        code="OverQuota",
        message=f"{name} uses {gpus_text(used)} of its {gpus_text(project.quota)} GPUs; "
        f"{gpus_text(asked)} more would be over its quota.",
        hint=f"It starts when {gpus_text(used + asked - project.quota)} GPU of the project "
        "is free again.",
    )


def _behind(before: Sequence[str]) -> Reason:
    place_in_line = len(before) + 1
    return Reason(
        code="InLine",
        message=f"Number {place_in_line} in its project's line, behind {', '.join(before[:3])}"
        + (" and others." if len(before) > 3 else "."),
        hint="It starts when those before it have started.",
    )
