"""The sessions of all clusters, with those that are between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..core import fallback_views, fallbacks
from ..core.end_requests import requested
from ..core.fallbacks import Place, Record
from ..errors import NotFound, Unavailable, WrongState
from ..model.ending import PageReport
from ..model.previews import QueuePosition
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import Goal, Session, SessionSpec, State
from ..model.volumes.mounts import Mount
from .figures import UnitedPlanning
from .members import Members
from .mover import Mover
from .sessions import UnitedSessions

_ENDS: Mapping[Goal, State] = {"stop": "stopped", "suspend": "suspended"}


class PlacedSessions:
    """Shows the list of each session that has one, and ends those that are in no place."""

    def __init__(self, united: UnitedSessions, mover: Mover) -> None:
        self._united = united
        self._mover = mover
        self._from: tuple[object, object, object] = (None, None, None)
        self._all: tuple[Session, ...] = ()

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        found, records = self._united.all(), self._mover.records
        usable = tuple(sorted(self._mover.usable()))
        old_found, old_records, old_usable = self._from
        if found is not old_found or records is not old_records or usable != old_usable:
            self._from = (found, records, usable)
            self._all = _with_lists(found, records, usable) if records else found
        return self._all

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request."""
        return await self._united.create(spec, owner, session_id)

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session."""
        return await self._end(session_id, "stop", why)

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to suspend a session."""
        return await self._end(session_id, "suspend", why)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue; one that was in no place starts with the first."""
        async with self._mover.held(session_id):
            record = self._alone(session_id)
            if record is None:
                return self._shown(await self._united.resume(session_id, base_url))
            if record.step != "ended":
                raise _moves(record, "resumed")
            return await self._saved(fallbacks.again(record, datetime.now(UTC)))

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share; it then stays where it is."""
        async with self._mover.held(session_id):
            if record := self._alone(session_id):
                raise _moves(record, "resized")
            found = await self._united.resize(session_id, share, added)
            if known := self._mover.records.get(session_id):
                await self._mover.save(fallbacks.settled(known))
            return self._shown(found)

    async def delete(self, session_id: str) -> None:
        """Delete a session without processes, and its list."""
        async with self._mover.held(session_id):
            if record := self._alone(session_id):
                self._check_forgettable(record)
            else:
                await self._united.delete(session_id)
            if session_id in self._mover.records:
                await self._mover.forget(session_id)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never started."""
        return await self._united.withdraw(session_id)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page."""
        await self._united.put_page(session_id, page, report)

    async def _end(self, session_id: str, goal: Goal, why: Reason | None) -> Session:
        async with self._mover.held(session_id):
            record = self._alone(session_id)
            if record is None:
                end = self._united.stop if goal == "stop" else self._united.suspend
                return self._shown(await end(session_id, why))
            if record.step == "ended":
                raise _moves(record, _ENDS[goal])
            why, now = why or requested(goal), datetime.now(UTC)
            return await self._saved(fallbacks.ended(record, _ENDS[goal], why, now))

    def _alone(self, session_id: str) -> Record | None:
        """Return the record of a session that is in no place, None for any other."""
        record = self._mover.records.get(session_id)
        return record if record and _is_alone(record, self._united.by_id()) else None

    def _check_forgettable(self, record: Record) -> None:
        """Raise WrongState, Unavailable for a session that may still be created somewhere."""
        if record.step != "ended":
            raise _moves(record, "deleted")
        if record.cluster not in self._mover.usable():
            raise Unavailable(
                f"{record.place.cluster} cannot be used, where the session may be.",
                hint="Delete it once that cluster can be reached.",
            )

    def _shown(self, session: Session) -> Session:
        record = self._mover.records.get(session.id)
        return fallback_views.shown(record, session, self._mover.usable()) if record else session

    async def _saved(self, record: Record) -> Session:
        await self._mover.save(record)
        return fallback_views.alone(record)


class PlacedPlanning(UnitedPlanning):
    """Forecasts also for sessions that are in no place."""

    def __init__(self, members: Members, sessions: PlacedSessions) -> None:
        super().__init__(members)
        self._placed = sessions

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound."""
        try:
            position = await super().position(session_id)
        except NotFound:  # it may have been taken back since it was asked
            found = self._listed(session_id)
            if found is None:
                raise
            return QueuePosition(session=session_id, reason=found.reason)
        found = self._listed(session_id)
        return _with_reason(position, found) if found else position

    def _listed(self, session_id: str) -> Session | None:
        """Return a session that has several places, None for any other."""
        every = self._placed.all()
        return next((each for each in every if each.id == session_id and each.fallback), None)


class ClusterFallbacks:
    """The port `Fallbacks`."""

    def __init__(self, mover: Mover, wait: int) -> None:
        self._mover = mover
        self.wait = wait
        """Seconds, where a request does not say."""

    async def create(self, places: Sequence[Place], wait: int, owner: str) -> Session:
        """Create a session in the first of several places."""
        return await self._mover.create(places, wait, owner)


def _with_lists(
    found: tuple[Session, ...], records: Mapping[str, Record], usable: Sequence[str]
) -> tuple[Session, ...]:
    known = {session.id: session for session in found}
    listed = [
        fallback_views.shown(records[each.id], each, usable) if each.id in records else each
        for each in found
    ]
    listed += [fallback_views.alone(each) for each in records.values() if _is_alone(each, known)]
    return tuple(sorted(listed, key=lambda session: session.created))


def _is_alone(record: Record, known: Mapping[str, Session]) -> bool:
    return record.id not in known and record.step in {"submitting", "withdrawing", "ended"}


def _with_reason(position: QueuePosition, session: Session) -> QueuePosition:
    """Return a position; its reason says where the session goes on to, too."""
    return QueuePosition(
        session=position.session,
        reason=session.reason or position.reason,
        position=position.position,
        expected=position.expected,
    )


def _moves(record: Record, done: str) -> WrongState:
    name = record.place.spec.name
    if record.step == "ended":
        return WrongState(
            f"{name} is {record.state} and cannot be {done}.", hint="Resume it first."
        )
    return WrongState(
        f"{name} moves to {record.place.cluster} and cannot be {done} now.",
        hint="Stop it, or try again in a moment.",
    )
