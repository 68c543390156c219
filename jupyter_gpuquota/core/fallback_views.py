"""How a session with several places is shown."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from msgspec import structs

from ..model.clusters.fallback import Fallback, FallbackPlace
from ..model.messages.build import message, reason
from ..model.reasons import Reason
from ..model.sessions import Session
from .fallbacks import STEPS_KEPT, Record, due, is_queued, next_place


def shown(record: Record, session: Session, usable: Collection[str]) -> Session:
    """Return a session in one of its places, with its list and what has happened to it before."""
    fallback = _list(record)
    if is_queued(session) and (until := due(record)):
        fallback = _with_next(fallback, record, until, usable)
    return structs.replace(
        session,
        created=record.created,
        fallback=fallback,
        progress=(*record.steps, *session.progress)[-STEPS_KEPT:],
        reason=session.reason and _extended(session.reason, fallback),
    )


def alone(record: Record) -> Session:
    """Return a session while it is in no place."""
    moving = reason("Moving", "fallback.moving", cluster=record.place.label)
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
        fallback=_list(record),
    )


def _list(record: Record) -> Fallback:
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
        moving=record.step in {"submitting", "withdrawing"},
    )


def _with_next(
    fallback: Fallback, record: Record, until: datetime, usable: Collection[str]
) -> Fallback:
    index = next_place(record, usable)
    if index is not None:
        return structs.replace(fallback, next=index, until=until)
    return structs.replace(fallback, next=next_place(record))


def _extended(why: Reason, fallback: Fallback) -> Reason:
    """Return why a session waits, with what comes after that."""
    if fallback.next is None:
        return why
    label = fallback.places[fallback.next].label
    if fallback.until is None:
        return why.extended(message("fallback.away", next=label))
    at = fallback.until.isoformat(timespec="seconds")
    return why.extended(message("fallback.until", at=at, next=label))
