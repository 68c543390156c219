"""Moves every session towards what is recorded, one write at a time.

Nothing is remembered that matters: what a controller was about to do follows from the record and
from what the cluster shows, so another one goes on wherever it was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

import msgspec

from ...control.board import Board
from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.sessions import Session
from ..api import Fault
from ..faults import error as explained
from ..labels import RECORD, object_name
from ..objects.meta import Object
from ..objects.workloads import Workload
from ..state.desired import Action, next_action
from ..state.record import Record, decode, encode
from .objects import SessionObjects
from .secrets import CONFLICT, NOT_FOUND
from .steps import Steps
from .tracked import LostSessions, Tracked
from .writer import Overtaken, Writer

_log = logging.getLogger(__name__)

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Seconds before each further attempt after a fault."""


class Failures:
    """The failed attempts; `count` is how many there were."""

    def __init__(self) -> None:
        self.count = 0

    def fault(self, tracked: Tracked, fault: Fault) -> None:
        """Note what the API server has refused, or that it did not answer."""
        if fault.status == NOT_FOUND:
            tracked.distrust()
        if fault.status == CONFLICT and not tracked.failures:
            return  # another controller may do the same
        self.count += 1
        trouble = _trouble(fault)
        if trouble != tracked.trouble:  # what persists is logged once
            _log.warning("%s: %s", tracked.record.session.id, fault)
        tracked.trouble = trouble

    def bug(self, tracked: Tracked, error: Exception) -> None:
        """Note an error of our own, from where it is handled."""
        self.count += 1
        _log.exception("managing the session %s failed", tracked.record.session.id)
        tracked.trouble = reason("StartFailed", "start.failed", detail=str(error))

    def pause(self, tracked: Tracked) -> float:
        """Return the seconds until the next attempt."""
        tracked.failures += 1
        return _PAUSES[min(tracked.failures, len(_PAUSES)) - 1]


def _trouble(fault: Fault) -> Reason:
    """Return why a session could not be written, with the server's words."""
    detail = explained(fault).message
    return reason("StartFailed", "start.failed", detail=detail, raw=fault.message)


_MOST_STEPS = 8
"""Most writes in a row; after that others have their turn."""
Change = Callable[[Session], Session]


class Reconciler:
    """The sessions of a cluster. Every method runs in the event loop."""

    def __init__(
        self,
        board: Board,
        objects: SessionObjects,
        writer: Writer,
        steps: Steps,
    ) -> None:
        self.owner = ""
        """The only owner whose sessions are managed; empty for all sessions."""
        self.failures = Failures()
        self._board = board
        self._writer = writer
        self._objects = objects
        self._steps = steps
        self._tracked: dict[str, Tracked] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unreadable: dict[str, str] = {}
        self._lost = LostSessions(board)
        self._is_open = False

    def open(self) -> None:
        """Adopt the sessions of all workloads, and begin to write."""
        for workload in sorted(self._objects.workloads(), key=_age):
            self.adopt(workload)
        self._board.show(*(tracked.record.session for tracked in self._tracked.values()))
        self._is_open = True
        self._objects.subscribe(self._changed)
        for tracked in self._tracked.values():
            self._tend(tracked)

    async def close(self) -> None:
        """Stop; sessions keep running."""
        self._is_open = False
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def adopt(self, found: Object) -> None:
        """Take over a session from its record at a workload, or else at its Secret.

        A record of another namespace or name is a copy, and so is the younger of two with one id:
        whoever may create workloads in a namespace can write any record there. An unreadable one
        is left alone.
        """
        text, detached = found.metadata.annotations[RECORD], not isinstance(found, Workload)
        read = decode(text)
        if read.value is None:
            where = "/".join(found.key)
            self._unreadable[where] = f"The session {where} cannot be read: {read.problem}."
            self._board.warn("records", self._unreadable.values())
            return
        session = read.value.session
        if found.key != (session.spec.project, object_name(session)):
            return
        known = self._tracked.get(session.id)
        if known and known.record.session.spec.project == session.spec.project:
            known.detached |= detached
        elif not known and self._is_ours(session):
            self._track(Tracked(read.value, text, detached))

    async def create(self, session: Session) -> Session:
        """Create a session. Raises Fault."""
        record = Record(session=session)
        tracked = Tracked(record, encode(record))
        async with tracked.lock:
            tracked.saw(await self._writer.create(record))
            if session.id not in self._tracked:  # a watch may have been faster
                self._track(tracked)
        return self._board.find(session.id)

    async def change(self, session_id: str, change: Change) -> Session:
        """Change a session as its user asks; it is written first.

        The record may be moved along by what is seen while it is written, or by another controller;
        then the change is made to the newer one. Raises NotFound, Fault, and as `change`.
        """
        self._board.find(session_id)
        tracked = self._tracked[session_id]
        async with tracked.lock:
            while True:
                if self._steps.look(tracked).workload is None:
                    await self._steps.is_kept(tracked)
                before = tracked.record
                changed = msgspec.structs.replace(before, session=change(before.session))
                after = self._steps.with_pages(changed, followed=False)
                try:
                    await self._steps.write(tracked, after)
                except Overtaken as other:
                    self._overtaken(tracked, other)
                    continue
                if tracked.record is before:
                    break
            tracked.followed = False
            self._show(tracked, after)
        tracked.wake.set()
        return self._board.find(session_id)

    def settle(self, session: Session) -> None:
        """Publish a session that has changed by itself, and write its record soon."""
        if tracked := self._tracked.get(session.id):
            self._show(tracked, msgspec.structs.replace(tracked.record, session=session))
            tracked.wake.set()

    async def delete(self, session_id: str, check: Callable[[Session], None]) -> None:
        """Delete a session. Raises NotFound, Fault, and as `check`."""
        check(self._board.find(session_id))
        tracked = self._tracked[session_id]
        async with tracked.lock:
            while True:
                seen = self._steps.look(tracked)
                session = tracked.record.session
                check(session)
                try:
                    await self._writer.delete(session, seen.workload)
                except Overtaken as other:
                    self._overtaken(tracked, other)
                else:
                    break
            self._forget(tracked)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never started; return whether it is gone. Raises NotFound."""
        self._board.find(session_id)
        tracked = self._tracked[session_id]
        async with tracked.lock:
            session, workload = tracked.record.session, self._steps.look(tracked).workload
            if session.state != "waiting" or session.run or workload is None:
                return False
            if not await self._writer.withdrawal.withdraw(session, workload):
                return False
            self._forget(tracked)
        return True

    def wake(self, session_id: str) -> None:
        """Look at a session soon."""
        if tracked := self._tracked.get(session_id):
            tracked.wake.set()

    def wake_all(self) -> None:
        """Look at all sessions soon, after something that concerns many has changed."""
        for tracked in self._tracked.values():
            tracked.wake.set()

    # ── Inside ───────────────────────────────────────────────────────────────────────────────────

    def _changed(self, session_id: str) -> None:
        """Adopt a session whose workload appears, and look at a known one."""
        if session_id in self._tracked:
            self._tracked[session_id].wake.set()
        elif self._is_open:
            for workload in self._objects.claiming(session_id):
                self.adopt(workload)

    def _lose(self, tracked: Tracked) -> None:
        """Forget a session whose workload was deleted, and the rest with it."""
        session = tracked.record.session
        self._forget(tracked)
        self._lost.add(session)

    def _track(self, tracked: Tracked) -> None:
        session = tracked.record.session
        self._tracked[session.id] = tracked
        self._lost.found(session)
        if self._is_open:  # until then all are shown at once: each time the whole list is copied
            self._board.show(session)
            self._tend(tracked)

    def _tend(self, tracked: Tracked) -> None:
        self._tasks[tracked.record.session.id] = asyncio.create_task(self._run(tracked))

    def _forget(self, tracked: Tracked) -> None:
        session_id = tracked.record.session.id
        self._tracked.pop(session_id, None)
        self._board.drop(session_id)
        tracked.wake.set()  # its task may be the present one, and ends then
        if (task := self._tasks.pop(session_id, None)) and task is not asyncio.current_task():
            task.cancel()

    async def _run(self, tracked: Tracked) -> None:
        """Look at a session whenever something has changed, and again after a fault."""
        while self._tracked.get(tracked.record.session.id) is tracked:
            pause = await self._attempt(tracked)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await tracked.wake.wait()
            tracked.wake.clear()

    async def _attempt(self, tracked: Tracked) -> float | None:
        """Do what is due; return the seconds until the next attempt, None for no need."""
        try:
            async with tracked.lock:
                await self._reconcile(tracked)
        except Fault as fault:
            self.failures.fault(tracked, fault)
        except Exception as error:  # noqa: BLE001 (a bug with one session must not end the others)
            self.failures.bug(tracked, error)
        else:
            tracked.trouble, tracked.failures = None, 0
            return self._steps.due(tracked)
        self._show(tracked, tracked.record)
        return self.failures.pause(tracked)

    async def _reconcile(self, tracked: Tracked) -> None:
        for _ in range(_MOST_STEPS):
            try:
                if not await self._step(tracked):
                    return
            except Overtaken as other:
                self._overtaken(tracked, other)

    async def _step(self, tracked: Tracked) -> bool:
        """Do what is due at most once; return whether more may be due."""
        seen, session = self._steps.look(tracked), tracked.record.session
        gone = seen.workload is None
        if gone and (
            self._objects.hides_workload(session) or not await self._steps.is_kept(tracked)
        ):
            self._lose(tracked)
            return False
        if self._objects.hides_pods(session):
            return False
        self._show(tracked, self._steps.advanced(tracked, seen))
        action = next_action(tracked.record.session, seen)
        if action is not Action.NONE:
            await self._steps.carry_out(tracked, action, seen.workload)
        elif tracked.unsaved() == 0:
            await self._steps.save(tracked, tracked.record)
        return action is not Action.NONE

    def _overtaken(self, tracked: Tracked, other: Overtaken) -> None:
        """Show what another controller has written."""
        tracked.saw(other.workload)
        tracked.follow(other.workload)
        self._show(tracked, tracked.record)

    def _show(self, tracked: Tracked, record: Record) -> None:
        """Publish a record; a session that cannot be started shows why."""
        session = msgspec.structs.replace(record.session, revision="")
        tracked.record = msgspec.structs.replace(record, session=session)
        if tracked.trouble and session.state == "waiting":
            session = msgspec.structs.replace(session, reason=tracked.trouble)
        known = self._board.by_id.get(session.id)
        if known is None or msgspec.structs.replace(known, revision="") != session:
            self._board.show(session)

    def _is_ours(self, session: Session) -> bool:
        return self.owner in ("", session.owner)


def _age(workload: Workload) -> tuple[str, str]:
    """Return what orders workloads by their age, as the API server knows it."""
    made = workload.metadata.creation_timestamp
    return made.isoformat() if made else "", workload.metadata.uid
