"""For whom KAI took the GPUs of a session: the `Evict` event of its PodGroup. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from ....core.names import mention
from ....model.messages.build import reason
from ....model.reasons import Reason
from ....model.sessions import Reclaim, Session
from ...names import PREFIX, object_name
from ...objects.pods import Event
from .objects import PodGroup

_ACTION = "evictor-action-type"
_NAMESPACE = "evictor-pod-group-namespace"
_NAME = "evictor-pod-group-name"
_EVICTED = "kai.scheduler/last-eviction-timestamp"
_STARTED = "kai.scheduler/last-start-timestamp"
_OWNED = re.compile(r"pg-(?P<owner>.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

Evictions = Mapping[tuple[str, str], Event]
"""The last `Evict` event of PodGroups, by namespace and name."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """For whom a session was evicted, and why."""

    reclaim: Reclaim
    reason: Reason


def is_eviction(event: Event) -> bool:
    """Return whether an event says that the pods of a PodGroup were evicted."""
    about = event.involved_object
    is_own = about.namespace == event.metadata.namespace
    return event.reason == "Evict" and about.kind == "PodGroup" and is_own


def evictions_of(events: Iterable[Event]) -> Evictions:
    """Return the last `Evict` event of each PodGroup."""
    found: dict[tuple[str, str], Event] = {}
    for event in events:
        if not is_eviction(event):
            continue
        about = event.involved_object
        key = about.namespace, about.name
        if key not in found or _at(found[key]) <= _at(event):
            found[key] = event
    return found


def owner_of(pod_group: str) -> str:
    """Return the name of the object whose pods a PodGroup has, by KAI's naming; empty if none."""
    found = _OWNED.fullmatch(pod_group)
    return found["owner"] if found else ""


def evicted(
    session: Session, group: PodGroup, evictions: Evictions, sessions: Iterable[Session]
) -> Eviction | None:
    """Return the eviction after which a session has not been started again."""
    event = evictions.get(group.key)
    if event is None or not _is_last(event, group, session):
        return None
    taken = event.metadata.annotations
    namespace, name = taken.get(_NAMESPACE, ""), owner_of(taken.get(_NAME, ""))
    taker = next(
        (s for s in sessions if (s.spec.project, object_name(s)) == (namespace, name)), None
    )
    moved = taken.get(_ACTION) == "consolidation"
    reclaim = Reclaim(
        at=_at(event),
        session=taker.id if taker else "",
        name=taker.spec.name if taker else name.removeprefix(PREFIX),
        project=namespace,
        run=taker.run if taker else -1,
        moved=moved,
    )
    own = session.spec.project
    who = mention([taker], own) if taker else f"{namespace}/1"
    if moved:
        why = reason("Moved", "reclaim.moved", raw=event.message, session=who)
    elif taken.get(_ACTION) == "preempt" or namespace == own:
        why = reason("Reclaimed", "reclaim.priority", raw=event.message, session=who)
    else:
        why = reason("Reclaimed", "reclaim.borrowed", raw=event.message, session=who, project=own)
    return Eviction(reclaim, why)


def _is_last(event: Event, group: PodGroup, session: Session) -> bool:
    """Return whether a workload has not started since an eviction, by KAI's clock if it tells."""
    stamps = group.metadata.annotations
    gone, began = _time(stamps.get(_EVICTED, "")), _time(stamps.get(_STARTED, ""))
    if gone and began:
        return gone > began
    return session.started is None or _at(event) >= session.started.replace(microsecond=0)


def _at(event: Event) -> datetime:
    found = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return found or datetime.min.replace(tzinfo=UTC)


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
