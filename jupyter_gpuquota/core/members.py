"""Who may launch where, when a project may be deleted, and which quotas deserve a warning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import InUse
from ..model.quota import Project
from ..model.resources import Node, counted_gpus, gpus_text
from ..model.sessions import LIVE, Session
from .access import Rights
from .scheduling.capacity import capacity_of


def launchable(projects: Iterable[Project], rights: Rights) -> tuple[Project, ...]:
    """Return the projects that a caller may launch in."""
    return tuple(p for p in projects if not p.draining and rights.launches(p.name))


def check_deletable(name: str, sessions: Iterable[Session]) -> None:
    """Raise InUse, naming the sessions, if a project has running or queued ones."""
    own = users_of(name, sessions)
    if own:
        names = ", ".join(own[:5]) + (f" and {len(own) - 5} more" if len(own) > 5 else "")
        raise InUse(
            f"{name} has sessions: {names}.",
            hint="Stop them first, or drain the project: it then starts no more sessions and is "
            "deleted when the last one has ended.",
        )


def users_of(name: str, sessions: Iterable[Session]) -> tuple[str, ...]:
    """Return the names of the running and queued sessions of a project."""
    return tuple(
        s.spec.name for s in sessions if s.spec.project == name and s.state in {"waiting", *LIVE}
    )


def live_of(name: str, sessions: Iterable[Session]) -> tuple[str, ...]:
    """Return the names of the sessions that keep a draining project; queued ones do not."""
    return tuple(s.spec.name for s in sessions if s.spec.project == name and s.state in LIVE)


def drained(projects: Iterable[Project], sessions: Iterable[Session]) -> tuple[Project, ...]:
    """Return the draining projects without running sessions."""
    busy = {s.spec.project for s in sessions if s.state in LIVE}
    return tuple(p for p in projects if p.draining and p.name not in busy)


def warnings(projects: Sequence[Project], nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return warnings about quotas that are allowed but probably not intended."""
    found = []
    capacity = capacity_of(nodes)
    total = sum(project.quota for project in projects)
    if total > capacity:
        found.append(
            f"The quotas add up to {gpus_text(total)} GPUs, but only {gpus_text(capacity)} exist: "
            "not every project can use its quota at the same time."
        )
    if projects and not any(project.weighs for project in projects):
        found.append("All weights are 0: no project borrows, so spare GPUs stay idle.")
    found += [
        f"The limit of {project.name} ({counted_gpus(project.limit)}) is below its quota "
        f"({counted_gpus(project.quota)}): it can never use all of its quota."
        for project in projects
        if project.limit is not None and project.limit < project.quota
    ]
    found += [
        f"{project.name} has viewers but no members, so everyone may launch in it."
        for project in projects
        if project.viewers and not project.members
    ]
    return tuple(found)
