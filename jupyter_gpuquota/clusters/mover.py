"""Carries out what happens next to sessions with several places.

Each step is written before it begins. A controller that is killed in between is followed by one
that looks where the session is, and repeats the step.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from ..control.board import Board
from ..control.new_session import new_id
from ..control.storage.fallbacks import FallbackStore
from ..core import fallback_views, fallbacks
from ..core.fallbacks import Act, Place, Record
from ..errors import GpuQuotaError, NotFound, StorageFailed, Unavailable
from ..model.clusters.names import cluster_of
from ..model.sessions import Session
from .members import Members
from .sessions import UnitedChanges, UnitedSessions

_log = logging.getLogger(__name__)

_AGAIN = 5.0
"""Seconds until a step is repeated whose outcome is unknown, or that was not possible."""
_MOST_STEPS = 8
_QUIET = 0.05
"""Least seconds between two looks, while clusters change all the time."""
_UNKNOWN = (Unavailable, StorageFailed)
"""After these a call may have had its effect, or not."""


class _Later(Exception):
    """A step has to be repeated."""


class Mover:
    """The sessions with several places. Every method runs in the event loop."""

    def __init__(
        self,
        members: Members,
        sessions: UnitedSessions,
        changes: UnitedChanges,
        store: FallbackStore,
        own: Board,
    ) -> None:
        self.records: Mapping[str, Record] = {}
        """The records by the ids of their sessions: replaced as a whole."""
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._members = members
        self._sessions = sessions
        self._changes = changes
        self._store = store
        self._own = own
        self._not_before: dict[str, float] = {}
        self._problems: Mapping[str, str] = {}
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on with what was begun. Raises StorageFailed, VersionMismatch."""
        self.records = await self._store.open()
        self._own.warn("fallbacks", (self._store.trouble,))
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop; another controller goes on."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None
        await self._store.close()

    @property
    def is_idle(self) -> bool:
        """Whether nothing has to be moved any more."""
        return all(
            record.step in {"settled", "ended"} and not record.events
            for record in self.records.values()
        )

    def usable(self) -> set[str]:
        """Return the clusters that can be used, as the names of projects have them."""
        return {"", *(each.name for each in self._members.others if not each.problem)}

    async def create(self, places: Sequence[Place], wait: int, owner: str) -> Session:
        """Create a session in the first place. Raises as `Sessions.create`."""
        now = datetime.now(UTC)
        record = Record(
            id=new_id(), owner=owner, created=now, since=now, wait=wait, places=tuple(places)
        )
        async with self._locks[record.id]:
            await self.save(record)
            try:
                await self._create(record)
            except _UNKNOWN as error:
                _log.warning("%s: its creation will be repeated: %s", record.id, error.message)
                return fallback_views.alone(record)
            except GpuQuotaError:
                await self.forget(record.id)
                raise
            record = fallbacks.arrived(record, datetime.now(UTC))
            await self.save(record)
        session = self.there(record)
        if session is None:
            return fallback_views.alone(record)
        return fallback_views.shown(record, session, self.usable())

    @asynccontextmanager
    async def held(self, session_id: str) -> AsyncIterator[None]:
        """Keep a session with several places from being moved until the end of the block."""
        if session_id not in self.records:
            yield
            return
        async with self._locks[session_id]:
            yield

    def there(self, record: Record) -> Session | None:
        """Return the session of a record in its present place, None if it is not there."""
        known = self._sessions.by_id().get(record.id)
        return known if known and cluster_of(known.spec.project) == record.cluster else None

    async def save(self, record: Record) -> None:
        """Write a record, then publish it. Raises StorageFailed: nothing has changed."""
        await self._store.put(record)
        self.records = {**self.records, record.id: record}
        self._not_before.pop(record.id, None)
        self._own.touch("sessions")

    async def forget(self, session_id: str) -> None:
        """Remove a record, after its events are in the audit log. Raises StorageFailed."""
        await self._audit(self.records[session_id])
        await self._store.remove(session_id)
        self.records = {key: each for key, each in self.records.items() if key != session_id}
        self._locks.pop(session_id, None)
        self._problems = {key: each for key, each in self._problems.items() if key != session_id}
        self._own.touch("sessions")

    async def advance(self, session_id: str) -> float | None:
        """Do what is due for a session; return the seconds until the next look, None for never.

        Raises _Later, GpuQuotaError.
        """
        async with self._locks[session_id]:
            for _ in range(_MOST_STEPS):
                record = self.records.get(session_id)
                if record is None:
                    return None
                now = datetime.now(UTC)
                session = self.there(record)
                act = fallbacks.next_act(record, session, self.usable(), now)
                if act is Act.NOTHING:
                    return self._pause(record, now)
                if act is Act.ARRIVED and session:
                    now = session.created  # it has waited since then
                if not await self._do(act, record, now):
                    raise _Later
        raise _Later

    def _pause(self, record: Record, now: datetime) -> float | None:
        if record.step in {"settled", "ended"}:
            return None
        until = fallbacks.due(record)
        left = (until - now).total_seconds() if until else None
        return left if left is None or left > 0 else _AGAIN

    async def _do(self, act: Act, record: Record, now: datetime) -> bool:
        """Do one thing; return False if it has to be repeated later."""
        match act:
            case Act.AUDIT:
                await self._audit(record)
                await self.save(fallbacks.audited(record))
            case Act.SUBMIT:
                return await self._submit(record)
            case Act.WITHDRAW | Act.END:
                return await self._withdraw(record)
            case Act.FORGET:
                await self.forget(record.id)
            case Act.ARRIVED:
                await self.save(fallbacks.arrived(record, now))
            case Act.GO_ON:
                await self.save(fallbacks.went_on(record, self.usable(), now))
            case _:
                await self.save(fallbacks.settled(record))
        return True

    async def _audit(self, record: Record) -> None:
        """Write to the audit log what has happened; it may be there already."""
        if log := self._members.first.backend.administration:
            for event in record.events:
                await log.note(event.what, event.at)

    async def _submit(self, record: Record) -> bool:
        try:
            await self._create(record)
        except _UNKNOWN as error:
            _log.warning("%s: its creation will be repeated: %s", record.id, error.message)
            return False
        except GpuQuotaError as error:
            after = fallbacks.refused(record, _said(error), datetime.now(UTC))
        else:
            after = fallbacks.arrived(record, datetime.now(UTC))
        await self.save(after)
        return True

    async def _withdraw(self, record: Record) -> bool:
        """Take a session back; one that has been ended meanwhile stays ended."""
        is_ended = record.step == "ended"
        if record.step == "waiting":
            record = fallbacks.withdrawing(record)
            await self.save(record)
        try:
            gone = await self._sessions.withdraw(record.id)
        except NotFound:
            return True  # the next look finds that it is gone
        except _UNKNOWN as error:
            _log.warning("%s: taking it back will be repeated: %s", record.id, error.message)
            return False
        except GpuQuotaError:  # refused: it waits where it is
            await self.save(fallbacks.stays(record) if not is_ended else record)
            raise
        now = datetime.now(UTC)
        if is_ended:
            if not gone:
                await self._sessions.stop(record.id, record.why)
                await self.save(fallbacks.settled(record))
        elif gone:
            await self.save(fallbacks.went_on(record, self.usable(), now))
        else:
            await self.save(fallbacks.stays(record))
        return gone

    async def _create(self, record: Record) -> None:
        await self._sessions.create(record.place.spec, record.owner, record.id)

    async def _run(self) -> None:
        while True:
            latest = (await self._changes.changed("", 0)).latest
            pauses = [await self._attempt(session_id) for session_id in tuple(self.records)]
            pause = min((each for each in pauses if each is not None), default=60.0)
            await self._changes.changed(latest, pause)
            await asyncio.sleep(_QUIET)

    async def _attempt(self, session_id: str) -> float | None:
        """Do what is due for a session; what prevents that is a warning until it succeeds.

        After a failure it is not tried again at once, whatever changes.
        """
        now = asyncio.get_running_loop().time()
        if (left := self._not_before.get(session_id, now) - now) > 0:
            return left
        problem = ""
        try:
            return await self.advance(session_id)
        except _Later:
            pass
        except GpuQuotaError as error:
            problem = f"The session {session_id} cannot be moved: {error.message}"
        except Exception as error:  # noqa: BLE001 (a bug with one session must not end the others)
            _log.exception("moving %s failed", session_id)
            problem = f"The session {session_id} cannot be moved: {error}. See the log."
        finally:
            self._problems = {**self._problems, session_id: problem}
            self._own.warn("fallbacks", (self._store.trouble, *self._problems.values()))
        self._not_before[session_id] = asyncio.get_running_loop().time() + _AGAIN
        return _AGAIN


def _said(error: GpuQuotaError) -> str:
    return " ".join([f"{each.field}: {each.message}" for each in error.fields]) or error.message
