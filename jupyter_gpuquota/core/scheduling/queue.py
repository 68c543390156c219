"""The order of queued sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from ...model.quota import Project, Rules
from ...model.resources import Node
from ...model.sessions import LIVE, Kind, Session

_EVER = datetime.min.replace(tzinfo=UTC)


def is_queued(session: Session) -> bool:
    """Return whether a session is queued, or will be once it has released its GPUs."""
    return session.state == "waiting" or (session.state == "stopping" and session.goal == "requeue")


def holds(session: Session) -> bool:
    """Return whether a session holds its placement and is not stopping."""
    return session.placement is not None and session.state in LIVE and session.state != "stopping"


def safe_until(session: Session, project: Project | None, rules: Rules, now: datetime) -> datetime:
    """Return when a session reaches its minimum run time and may be preempted.

    Where there is none, or the clock was set back to before the start, that is at any time.
    """
    least = max(rules.min_runtime, project.min_runtime if project else 0)
    began = session.started or session.since
    return began + timedelta(seconds=least) if least and began <= now else _EVER


def rank(session: Session) -> tuple[bool, int]:
    """Return the rank in a project: interactive first, then by priority; less comes first."""
    return (session.preemptible, -session.spec.priority)


def queue_key(session: Session) -> tuple[bool, int, object, str]:
    """Return the key that orders a project's queue: by rank, then by age."""
    return (*rank(session), session.created, session.id)


def nominated(sessions: Iterable[Session]) -> dict[str, int]:
    """Return which of the queued sessions GPUs were reclaimed for, with their precedence, by id.

    They come first, so that no other session gets what was reclaimed for them. Moved sessions come
    next. Less comes first; other sessions are not included. Clocks play no part in it.
    """
    queue = {session.id: session for session in sessions}
    found: dict[str, int] = {}
    for session in queue.values():
        if reclaim := session.reclaimed:
            taker = queue.get(reclaim.session)
            if taker and taker.run == reclaim.run:  # it has not been launched since
                found[taker.id] = -2
            if reclaim.moved:
                found.setdefault(session.id, -1)
    return found


def nodes_for(
    project: Project, kind: Kind, node_type: str, nodes: Sequence[Node]
) -> frozenset[str] | None:
    """Return the nodes that a kind of session may run on, None for any."""
    groups = project.node_affinity.groups(kind)
    if not groups and not node_type:
        return None
    return frozenset(
        node.name
        for node in nodes
        if (not groups or not set(groups).isdisjoint(node.labels))
        and (not node_type or node_type in node.labels)
    )
