"""Decide who may launch where, when a project may go, and what an admin may not have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..errors import InUse
from ..model.projects import ChangePreview
from ..model.quota import Project
from ..model.resources import Node, gpus_text
from ..model.sessions import LIVE, Session
from .access import Rights
from .quota import capacity_of


def launchable(projects: Iterable[Project], rights: Rights) -> tuple[Project, ...]:
    """Return the projects that a caller may launch in."""
    return tuple(p for p in projects if not p.draining and rights.launches(p.name))


def check_deletable(name: str, sessions: Iterable[Session]) -> None:
    """Raise InUse if a project has sessions that run or wait; it names them."""
    own = users_of(name, sessions)
    if own:
        names = ", ".join(own[:5]) + (f" and {len(own) - 5} more" if len(own) > 5 else "")
        raise InUse(
            f"{name} has sessions: {names}.",
            hint="Stop them first, or let it drain: then it starts nothing any more and goes "
            "when the last of them has ended.",
        )


def users_of(name: str, sessions: Iterable[Session]) -> tuple[str, ...]:
    """Name the sessions of a project that run or wait."""
    return tuple(
        s.spec.name for s in sessions if s.spec.project == name and s.state in {"waiting", *LIVE}
    )


def live_of(name: str, sessions: Iterable[Session]) -> tuple[str, ...]:
    """Name the sessions of a project that it is drained of; those who wait keep nothing."""
    return tuple(s.spec.name for s in sessions if s.spec.project == name and s.state in LIVE)


def without(
    projects: Iterable[Project], gone: Sequence[str], sessions: Sequence[Session]
) -> tuple[Project, ...]:
    """Return the projects as they are once some are deleted; those with sessions drain."""
    return tuple(
        msgspec.structs.replace(project, draining=True) if project.name in gone else project
        for project in projects
        if project.name not in gone or users_of(project.name, sessions)
    )


def with_refusals(
    preview: ChangePreview, gone: Sequence[str], sessions: Sequence[Session]
) -> ChangePreview:
    """Return a preview that warns of deletions that are refused unless the project drains."""
    refused = tuple(
        f"{name} has sessions: {', '.join(own)}. It can only drain: it starts nothing any more, "
        "and goes when they have ended."
        for name in gone
        if (own := users_of(name, sessions))
    )
    return msgspec.structs.replace(preview, warnings=(*refused, *preview.warnings))


def drained(projects: Iterable[Project], sessions: Iterable[Session]) -> tuple[Project, ...]:
    """Return the draining projects that hold nothing any more."""
    busy = {s.spec.project for s in sessions if s.state in LIVE}
    return tuple(p for p in projects if p.draining and p.name not in busy)


def doubts(projects: Sequence[Project], nodes: Sequence[Node]) -> tuple[str, ...]:
    """Say what is allowed, but hardly meant."""
    found = []
    capacity = capacity_of(nodes)
    total = sum(project.quota for project in projects)
    if total > capacity:
        found.append(
            f"The quotas add up to {gpus_text(total)} GPUs, but there are {gpus_text(capacity)}: "
            "not everyone can have at once what they have by right."
        )
    if projects and not any(project.weighs for project in projects):
        found.append("No project has a weight: nobody borrows what others leave unused.")
    found += [
        f"The limit of {project.name} ({gpus_text(project.limit)} GPU) is below its quota "
        f"({gpus_text(project.quota)}): it never gets all that it has by right."
        for project in projects
        if project.limit is not None and project.limit < project.quota
    ]
    found += [
        f"{project.name} has viewers, but everyone may launch in it: it names no members."
        for project in projects
        if project.viewers and not project.members
    ]
    return tuple(found)
