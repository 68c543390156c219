"""Order those who wait."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from ..model.quota import Project
from ..model.resources import Node
from ..model.sessions import LIVE, Kind, Reclaim, Session


def stands_in_line(session: Session) -> bool:
    """Tell whether a session waits for GPUs, or will as soon as it has given back its own."""
    return session.state == "waiting" or (session.state == "stopping" and session.goal == "requeue")


def holds(session: Session) -> bool:
    """Tell whether a session holds its placement, and nobody has asked for it back."""
    return session.placement is not None and session.state in LIVE and session.state != "stopping"


def safe_until(session: Session, least: int) -> datetime:
    """Tell when a session has run long enough, in seconds, to be made to leave."""
    return (session.started or session.since) + timedelta(seconds=least)


def rank(session: Session) -> tuple[bool, int]:
    """Tell who goes first inside a project: interactive, then the higher priority. Less is more."""
    return (session.preemptible, -session.spec.priority)


def line_key(session: Session) -> tuple[bool, int, object, str]:
    """Order a project's line: by rank, then older first."""
    return (*rank(session), session.created, session.id)


def claims(sessions: Iterable[Session]) -> dict[str, int]:
    """Map those for whom others have given back GPUs, and who still wait, to their precedence.

    They go first, or what was taken back for them would be somebody else's by the time it is
    free. Those who only had to make room come next. Less is more; nobody else is named.
    """
    line = {s.id: s for s in sessions if stands_in_line(s)}
    found: dict[str, int] = {}
    for session in line.values():
        if reclaim := session.reclaimed:
            taker = line.get(reclaim.session)
            if taker and _still_waits(taker, reclaim):
                found[taker.id] = -2
            if reclaim.moved:
                found.setdefault(session.id, -1)
    return found


def _still_waits(taker: Session, reclaim: Reclaim) -> bool:
    """Tell whether a session has not started since GPUs were taken back for it."""
    lost = taker.reclaimed
    return taker.since <= reclaim.at and (lost is None or lost.at < reclaim.at)


def nodes_for(
    project: Project, kind: Kind, node_type: str, nodes: Sequence[Node]
) -> frozenset[str] | None:
    """Name the nodes that a kind of session may run on, None if any will do."""
    groups = project.node_affinity.groups(kind)
    if not groups and not node_type:
        return None
    return frozenset(
        node.name
        for node in nodes
        if (not groups or not set(groups).isdisjoint(node.labels))
        and (not node_type or node_type in node.labels)
    )
