"""How a session with several places is shown."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from msgspec import structs

from ..model.clusters.fallback import Fallback, FallbackPlace
from ..model.messages.build import message, reason
from ..model.sessions import Session
from ..model.struct import Message
from .fallbacks import STEPS_KEPT, Record, due, is_queued, next_place


def shown(record: Record, session: Session, usable: Collection[str]) -> Session:
    """Return a session in one of its places, with its list and what has happened to it before."""
    until = due(record) if is_queued(session) else None
    found = structs.replace(
        session,
        created=record.created,
        fallback=_list(record, until),
        progress=(*record.steps, *session.progress)[-STEPS_KEPT:],
    )
    if until is None or session.reason is None:
        return found
    return structs.replace(found, reason=session.reason.extended(_outlook(record, until, usable)))


def alone(record: Record) -> Session:
    """Return a session while it is in no place."""
    moving = reason("Moving", "fallback.moving", cluster=record.place.cluster)
    return Session(
        id=record.id,
        spec=record.place.spec,
        owner=record.owner,
        state=record.state,
        since=record.since,
        created=record.created,
        ended=record.since if record.step == "ended" else None,
        path=f"gpuquota/s/{record.id}/",
        reason=record.why or moving,
        progress=record.steps,
        fallback=_list(record, None),
    )


def _list(record: Record, until: datetime | None) -> Fallback:
    return Fallback(
        places=tuple(
            FallbackPlace(
                name=place.name,
                cluster=place.cluster,
                project=place.spec.project,
                share=place.spec.share,
                refused=place.refused,
            )
            for place in record.places
        ),
        current=record.current,
        since=record.since,
        until=until,
        moving=record.step in {"submitting", "withdrawing"},
    )


def _outlook(record: Record, until: datetime, usable: Collection[str]) -> Message:
    index = next_place(record, usable)
    if index is not None:
        at = until.isoformat(timespec="seconds")
        return message("fallback.until", at=at, next=record.places[index].cluster)
    first = next_place(record)
    name = record.places[first].cluster if first is not None else ""
    return message("fallback.away", next=name)
