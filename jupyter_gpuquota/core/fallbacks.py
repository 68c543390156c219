"""What happens next to a request with several places. Pure.

A place is a cluster with everything that the request needs there. The session waits in one of them;
if it has not started there in time, it is taken back, and only then created in the next, with the
same id. What is about to be done is recorded first, so that whatever the controller is killed at,
the next one goes on: each of the two steps may be repeated.

=========== ================================================================================
step        meaning
=========== ================================================================================
submitting  it is to be created in the present place; it may be there already
waiting     it is queued there
withdrawing it is to be taken back from there; it may be gone already
settled     it has started, or its user has decided otherwise: it stays
ended       it was ended while it was in no place
=========== ================================================================================
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Literal

import msgspec
from msgspec import structs

from ..model.clusters.names import cluster_of, place_label
from ..model.messages.build import message, reason
from ..model.reasons import Reason
from ..model.sessions import LIVE, Progress, Session, SessionSpec, State
from ..model.struct import Message

Step = Literal["submitting", "waiting", "withdrawing", "settled", "ended"]

STEPS_KEPT = 20
"""Most lines of what has happened to a session."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened to a session, for the audit log."""

    at: datetime
    what: Message


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One place: as it was named, and the checked request there."""

    name: str
    cluster: str
    spec: SessionSpec
    refused: str = ""

    @property
    def label(self) -> str:
        """How it is named in texts."""
        return place_label(self.name, self.cluster)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One request with several places, as it is stored.

    `wait` is in seconds; `since` is when the present step began, and while it waits, when it was
    created in the present place. `last`: all other places have been tried. `state` and `why` are
    those of a session that has `ended`. `events` are not in the audit log yet.
    """

    id: str
    owner: str
    created: datetime
    since: datetime
    wait: int
    places: tuple[Place, ...]
    current: int = 0
    step: Step = "submitting"
    last: bool = False
    steps: tuple[Progress, ...] = ()
    state: State = "waiting"
    why: Reason | None = None
    events: tuple[Event, ...] = ()

    @property
    def place(self) -> Place:
        """The present place."""
        return self.places[self.current]

    @property
    def cluster(self) -> str:
        """What the names of the present place begin with, empty for the first cluster."""
        return cluster_of(self.place.spec.project)


class Act(Enum):
    """What is to be done now."""

    NOTHING = auto()
    AUDIT = auto()
    """Write the events to the audit log, then note that they are there."""
    SUBMIT = auto()
    """Create the session in the present place."""
    ARRIVED = auto()
    """Note that it is there."""
    WITHDRAW = auto()
    """Note that it is to be taken back, and take it back."""
    GO_ON = auto()
    """Note that it is to be created in the next place."""
    SETTLE = auto()
    """Note that it stays."""
    END = auto()
    """End what was created in the meantime, then forget the record."""
    FORGET = auto()
    """Forget the record: there is no such session any more."""


def next_act(
    record: Record, session: Session | None, usable: Collection[str], now: datetime
) -> Act:
    """Return what is to be done.

    `session` is that of the present place, None if it is not there; `usable` are the clusters, as
    the names of projects have them, that can be used now. No step is taken before the one before it
    is in the audit log.
    """
    if record.events:
        return Act.AUDIT
    return _next_step(record, session, usable, now) if record.cluster in usable else Act.NOTHING


def _next_step(
    record: Record, session: Session | None, usable: Collection[str], now: datetime
) -> Act:
    match record.step:
        case "submitting":
            return Act.ARRIVED if session else Act.SUBMIT
        case "waiting":
            return _while_waiting(record, session, usable, now)
        case "withdrawing":
            return _while_withdrawing(session)
        case "settled":
            return Act.NOTHING if session else Act.FORGET
        case _:
            return _when_ended(session)


def _while_waiting(
    record: Record, session: Session | None, usable: Collection[str], now: datetime
) -> Act:
    if session is None:
        return Act.FORGET
    if not is_queued(session):
        return Act.SETTLE
    until = due(record)
    if until is None or now < until or next_place(record, usable) is None:
        return Act.NOTHING
    return Act.WITHDRAW


def _while_withdrawing(session: Session | None) -> Act:
    if session is None:
        return Act.GO_ON
    return Act.WITHDRAW if is_queued(session) else Act.SETTLE


def _when_ended(session: Session | None) -> Act:
    if session is None:
        return Act.NOTHING
    return Act.END if session.state == "waiting" or session.state in LIVE else Act.SETTLE


def is_queued(session: Session) -> bool:
    """Return whether a session waits for its first start."""
    return session.state == "waiting" and session.run == 0


def due(record: Record) -> datetime | None:
    """Return when the next place is tried, None if it waits where it is."""
    if record.last or record.step != "waiting" or next_place(record) is None:
        return None
    return record.since + timedelta(seconds=record.wait)


def next_place(record: Record, usable: Collection[str] | None = None) -> int | None:
    """Return the next place that has not refused the session, of these clusters if they are given.

    After the last one come those before it, where it then waits without limit.
    """
    order = list(range(record.current + 1, len(record.places)))
    if record.place.refused:
        order += range(record.current)
    for index in order:
        place = record.places[index]
        if not place.refused and (usable is None or cluster_of(place.spec.project) in usable):
            return index
    return None


def arrived(record: Record, now: datetime) -> Record:
    """Return the record of a session that is in its present place."""
    last = record.last or record.current == len(record.places) - 1
    return structs.replace(record, step="waiting", since=now, last=last)


def withdrawing(record: Record) -> Record:
    """Return the record of a session that is to be taken back."""
    return structs.replace(record, step="withdrawing")


def stays(record: Record) -> Record:
    """Return the record of a session that could not be taken back, and still waits."""
    return structs.replace(record, step="waiting")


def went_on(record: Record, usable: Collection[str], now: datetime) -> Record:
    """Return the record of a session that was taken back, and is to be created elsewhere."""
    index = next_place(record, usable)
    index = next_place(record) if index is None else index
    if index is None:
        return structs.replace(record, step="submitting", since=now)
    span, after = max(0, int((now - record.since).total_seconds())), record.places[index]
    line = message("progress.went_on", span=span, cluster=record.place.label, next=after.label)
    event = message(
        "audit.went_on", **_names(record), next=after.name, project=after.spec.project, span=span
    )
    noted = _noted(record, line, event, now)
    return structs.replace(noted, current=index, step="submitting", since=now)


def refused(record: Record, why: str, now: datetime) -> Record:
    """Return the record after the present place has refused the session for good."""
    place = structs.replace(record.place, refused=why)
    places = (*record.places[: record.current], place, *record.places[record.current + 1 :])
    line = message("progress.refused_on", cluster=place.label, why=why)
    record, names = structs.replace(record, places=places), _names(record)
    index = next_place(record)
    if index is None:
        none = reason("NoPlace", "fallback.refused", why=why)
        event = message("audit.no_place", **names, why=why)
        return ended(_noted(record, line, event, now), "failed", none, now)
    after, back = record.places[index], index < record.current
    event = message("audit.refused", **names, next=after.name, project=after.spec.project, why=why)
    noted = _noted(record, line, event, now)
    return structs.replace(
        noted, current=index, step="submitting", since=now, last=record.last or back
    )


def audited(record: Record) -> Record:
    """Return the record after its events were written to the audit log."""
    return structs.replace(record, events=())


def settled(record: Record) -> Record:
    """Return the record of a session that stays where it is."""
    return structs.replace(record, step="settled", last=True)


def ended(record: Record, state: State, why: Reason | None, now: datetime) -> Record:
    """Return the record of a session that was ended while it was in no place."""
    return structs.replace(record, step="ended", state=state, why=why, since=now)


def again(record: Record, now: datetime) -> Record:
    """Return the record of an ended session that is to be created once more, at the first place."""
    places = tuple(structs.replace(place, refused="") for place in record.places)
    return structs.replace(
        record,
        places=places,
        current=0,
        step="submitting",
        last=False,
        since=now,
        state="waiting",
        why=None,
    )


def _noted(record: Record, line: Message, event: Message, now: datetime) -> Record:
    """Return the record with a line for the user, and an event for the audit log."""
    step = Progress(at=now, message=line.text, key=line.key, args=line.args)
    return structs.replace(
        record,
        steps=(*record.steps, step)[-STEPS_KEPT:],
        events=(*record.events, Event(at=now, what=event)),
    )


def _names(record: Record) -> dict[str, str]:
    spec = record.place.spec
    session = f"{spec.project}/{spec.name}"
    return {"session": session, "owner": record.owner, "place": record.place.name}
