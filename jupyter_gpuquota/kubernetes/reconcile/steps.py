"""One step of a session: look, move along, write."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

import msgspec

from ...control.board import Board
from ...control.ending.open_pages import OpenPages
from ...core import ending
from ...model.ending import Exit
from ...model.reasons import Reason
from ...model.resources import Isolation, Placement
from ...model.sessions import Session, SessionSpec
from ..api import Fault
from ..engines.engine import Admission, EnginePatch
from ..objects.pods import Pod
from ..objects.workloads import Workload
from ..state.advance import advance
from ..state.attached import Attached
from ..state.desired import Action, next_action
from ..state.ends import is_left, joined, tidying
from ..state.record import Record
from ..state.seen import Overdue, Seen, is_complete, is_launcher, process_of
from .objects import SessionObjects
from .secrets import NOT_FOUND
from .tracked import Tracked
from .writer import Writer

_LEAST = 60.0
"""Seconds for a start that a controller has not watched from its beginning."""


class StartClock:
    """Measures starts by a clock that neither jumps nor counts the sleep of a laptop.

    `limit` is the time from a node to ready, in seconds; 0 for none.
    """

    def __init__(self, limit: float, steady: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._steady = steady

    def left(self, tracked: Tracked, now: datetime) -> float | None:
        """Return the seconds that are left to a start; None where nothing limits it."""
        session = tracked.record.session
        if not self._limit or session.state != "starting":
            return None
        steady = self._steady()
        if tracked.starting is None or tracked.starting[0] != session.run:
            before = max(0.0, (now - session.since).total_seconds())
            counted = min(before, max(0.0, self._limit - _LEAST))
            tracked.starting = (session.run, steady - counted)
        return max(0.0, tracked.starting[1] + self._limit - steady)

    def overdue(self, tracked: Tracked, now: datetime) -> Overdue | None:
        """Return the start that takes too long, None if it does not."""
        run = tracked.record.session.run
        return Overdue(run, round(self._limit)) if self.left(tracked, now) == 0 else None


class Facts(Protocol):
    """Facts of the engine, of shares and of nodes. Every method answers from memory."""

    def admission(self, session: Session) -> Admission:
        """Return what the engine says about a session."""

    def placement(self, pod: Pod) -> Placement | None:
        """Return where a pod holds resources, None if it holds none."""

    def isolation(self, spec: SessionSpec) -> Isolation | None:
        """Return what isolates the share of a request, None for one without a GPU."""

    def data(self, session: Session) -> Reason | None:
        """Return why the datasets of a session are not there, None if they are, or it has none."""

    def attached(self, session: Session) -> Sequence[Attached]:
        """Return the volumes that tie a session to nodes, as others mount them there now."""

    def lost(self) -> frozenset[str]:
        """Return the nodes that do not respond."""

    def engine(self, spec: SessionSpec) -> EnginePatch:
        """Return what the engine adds to the workload of a request."""


_LOOK = 10.0
"""Seconds between two looks at a session without a workload: Secrets are not watched."""


class Logs(Protocol):
    """What is done with a session's log before its pod goes."""

    async def last_lines(self, pod: Pod) -> tuple[str, ...]:
        """Return the last lines of a pod's log."""

    async def keep(self, session: Session) -> None:
        """Keep the end of a session's log; a failure is logged."""


class Steps:
    """The steps of sessions.

    `save` is the time for open pages to save, and
    `starting` that for a session on its node to become ready, in seconds.
    """

    def __init__(
        self,
        board: Board,
        objects: SessionObjects,
        writer: Writer,
        facts: Facts,
        pages: OpenPages,
        logs: Logs,
        *,
        save: float,
        starting: float,
    ) -> None:
        self._board = board
        self._objects = objects
        self._writer = writer
        self._secrets = writer.secrets
        self._facts = facts
        self._pages = pages
        self._logs = logs
        self._save_time = timedelta(seconds=save)
        self._clock = StartClock(starting)

    def look(self, tracked: Tracked) -> Seen:
        """Return what the cluster shows of a session, after following another controller."""
        session, objects, facts = tracked.record.session, self._objects, self._facts
        now = datetime.now(UTC)
        workload = tracked.workload(objects.workload(session))
        if workload is not None:
            tracked.follow(workload)
            tracked.detached &= not is_complete(workload)
            session = tracked.record.session
        seen = Seen(
            workload=workload,
            pods=objects.pods(session),
            between=objects.between(workload),
            events=objects.events(session),
            admission=facts.admission(session),
            isolation=facts.isolation(session.spec),
            lost=facts.lost(),
            engine=facts.engine(session.spec),
            data=facts.data(session),
            attached=facts.attached(session) if session.state == "waiting" else (),
            overdue=self._clock.overdue(tracked, now),
        )
        return replace(seen, placement=_placed(facts, seen), is_left=is_left(session, seen, now))

    def due(self, tracked: Tracked) -> float | None:
        """Return the seconds until time alone changes a session, None if it does not."""
        now = datetime.now(UTC)
        known = (
            self._clock.left(tracked, now),
            tidying(tracked.record.session, now),
            tracked.unsaved(),
            _LOOK if tracked.detached else None,
        )
        return min((left for left in known if left is not None), default=None)

    async def is_kept(self, tracked: Tracked) -> bool:
        """Return whether a session without a workload is recorded in its Secret. Raises Fault."""
        secret = await self._secrets.keeper(tracked.record.session)
        tracked.detached = secret is not None
        if secret is not None:
            tracked.follow(secret)
        return tracked.detached

    def advanced(self, tracked: Tracked, seen: Seen) -> Record:
        """Return the record, moved along by what is seen and by its open pages."""
        record = advance(tracked.record, seen, datetime.now(UTC))
        return self.with_pages(record, followed=tracked.followed)

    def with_pages(self, record: Record, *, followed: bool) -> Record:
        """Return the record of a session that stops, with the progress of its open pages.

        One that is `followed` may be open in pages that report to another controller.
        """
        session, grace = record.session, timedelta(seconds=self._board.settings.rules.grace)
        known, now = self._pages.known(session), datetime.now(UTC)
        if followed:
            known = replace(known, complete=False)
        after = ending.advance(session, known, self._save_time, grace, now)
        return msgspec.structs.replace(record, session=after)

    async def carry_out(self, tracked: Tracked, action: Action, workload: Workload | None) -> None:
        """Do what is due. Raises Fault."""
        record = tracked.record
        if action in (Action.STOP, Action.REMOVE):
            record = tracked.record = await self._with_last_lines(record)
            await self._logs.keep(record.session)
        if workload is None:
            tracked.saw(await self._writer.create(record))
        elif action is Action.START:
            await self._start(tracked, record, workload)
        elif action is Action.STOP:
            tracked.wrote(await self._writer.stop(record, workload))
        elif action is Action.REMOVE:
            await self._remove(tracked, record, workload)
        tracked.keeps(record)

    async def _start(self, tracked: Tracked, record: Record, workload: Workload) -> None:
        """Let a workload have a pod; one that its engine does not let go is made anew."""
        unsuspend = not self._facts.engine(record.session.spec).starts_jobs
        try:
            tracked.wrote(await self._writer.start(record, workload, unsuspend=unsuspend))
            tracked.detached = False
        except Fault as fault:
            # Kueue's webhook never lets a StatefulSet up again whose Workload it has admitted
            # without pods.
            if not all(words in fault.message for words in ("vstatefulset.kb.io", "scale-down")):
                raise
            await self._remove(tracked, record, workload)

    async def _remove(self, tracked: Tracked, record: Record, workload: Workload) -> None:
        tracked.detached = True
        await self._writer.remove(record, workload)
        tracked.deleted(workload.metadata.uid)

    async def _with_last_lines(self, record: Record) -> Record:
        """Return the record of a session that failed to start with the end of its log.

        Its pod, which is stopped next, takes the log with it.
        """
        session = record.session
        if session.state != "stopping" or session.goal != "run" or session.exit:
            return record
        pods = (pod for pod in self._objects.pods(session) if pod.metadata.uid == record.pod)
        pod = next(pods, None)
        lines = await self._logs.last_lines(pod) if pod else ()
        found = Exit(code=None, at=datetime.now(UTC), last_lines=lines) if lines else None
        return msgspec.structs.replace(record, session=msgspec.structs.replace(session, exit=found))

    async def write(self, tracked: Tracked, record: Record) -> None:
        """Write a changed record; what it stops is stopped in the same write. Raises Fault."""
        seen = self.look(tracked)
        if next_action(record.session, seen) is Action.STOP and seen.workload:
            await self._logs.keep(record.session)
            tracked.wrote(await self._writer.stop(record, seen.workload))
            tracked.keeps(record)
        else:
            await self.save(tracked, record)

    async def save(self, tracked: Tracked, record: Record) -> None:
        """Write a record where it is kept: at the workload, or else the Secret. Raises Fault."""
        workload = tracked.workload(self._objects.workload(record.session))
        if workload is not None:
            try:
                tracked.wrote(await self._writer.save(record, workload))
            except Fault as fault:
                if fault.status != NOT_FOUND or not tracked.detached:
                    raise
                tracked.deleted(workload.metadata.uid)
                workload = None
        if workload is None:
            await self._secrets.save(record)
        tracked.keeps(record)


def _placed(facts: Facts, seen: Seen) -> Placement | None:
    """Return where the pods of a session hold resources: its first pod, and other processes.

    A launcher holds no GPU: the training is where the first worker is.
    """
    first = seen.present
    if first is None:
        return None
    others = (pod for pod in seen.processes if pod is not first and process_of(pod))
    found = [pod for pod in (first, *others) if not is_launcher(pod)]
    return joined([facts.placement(pod) for pod in found or [first]])
