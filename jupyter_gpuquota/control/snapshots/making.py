"""Making snapshots: pages save, the hook pauses the session, a process stores it, it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from ...core.snapshots import requests
from ...errors import Conflict, GpuQuotaError, Internal
from ...model.datasets.jobs import Job, JobReport
from ...model.datasets.lakes import Lake
from ...model.sessions import LIVE, Session
from ...model.snapshots.manifest import Consistency, PartProblem, Trigger
from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest
from ...model.struct import Problem
from ...store.spawn import new_id
from ..datasets.job_board import JobBoard
from .hook import Hook
from .orders import Orders, Process
from .pages import SavingPages

_REMEMBERED = timedelta(days=1)
"""How long a snapshot is listed that could not be made."""

_REPORT = 5.0
"""Seconds between reports of a snapshot that waits for another one."""

_log = logging.getLogger(__name__)


class Making(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot that is being made, or could not be made."""

    order: SnapshotOrder
    paused: bool = False
    problem: Problem | None = None

    @property
    def shown(self) -> Snapshot:
        """The snapshot as it is listed."""
        draft = self.order.draft
        return Snapshot(
            id=self.order.id,
            session=draft.session,
            name=draft.name,
            project=draft.project,
            owner=draft.owner,
            created=draft.created,
            note=draft.note,
            tags=draft.tags,
            trigger=draft.trigger,
            parent=draft.parent,
            state="failed" if self.problem else "making",
            consistency=draft.consistency,
            metrics=draft.metrics,
            problem=self.problem,
            job=self.order.id,
        )


class Maker:
    """Makes snapshots. `lake` is the default one, None if there is none."""

    def __init__(
        self,
        board: JobBoard,
        orders: Orders,
        process: Process,
        pages: SavingPages,
        hook: Hook,
        lake: Callable[[], Lake | None],
        look: Callable[[Session], Mapping[str, Any]],
        changed: Callable[[], None],
    ) -> None:
        self.jobs: dict[str, str] = {}
        """The ids of snapshots by the jobs that have made them."""
        self._board = board
        self._orders = orders
        self._process = process
        self._pages = pages
        self._hook = hook
        self._lake = lake
        self._look = look
        self._changed = changed
        self._makings: dict[str, Making] = {}
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def all(self) -> tuple[Snapshot, ...]:
        """Return the snapshots that are being made or could not be made."""
        return tuple(each.shown for each in self._makings.values())

    async def resume(self) -> None:
        """Take up what an earlier controller has begun; its processes report again."""
        for order in await self._orders.all():
            self._makings[order.id] = Making(order=order, paused=order.running)
            await self._board.start(_report(order), order.id, order.draft.owner)

    async def create(
        self,
        session: Session,
        request: SnapshotRequest,
        author: str,
        trigger: Trigger,
        parent: str,
    ) -> Snapshot:
        """Begin to take a snapshot; of several of a session, each waits for the one before.

        Raises Conflict without a lake.
        """
        lake = self._lake()
        if lake is None:
            raise Conflict("There is no lake for snapshots.", hint="An admin adds one: data lakes.")
        draft = requests.draft(
            session,
            request,
            author=author,
            trigger=trigger,
            parent=parent,
            consistency="quiesced",
            now=datetime.now(UTC),
        )
        order = SnapshotOrder(
            id=new_id(),
            lake=lake.name,
            draft=draft,
            folder=session.spec.folder,
            prefix=session.spec.environment,
            running=session.state in LIVE,
            artifacts=request.artifacts,
            variables=request.variables,
        )
        making = Making(order=order)
        earlier = [each for each in self._makings.values() if _goes_on(each, session)]
        self._makings[order.id] = making
        self._ends[order.id] = asyncio.Event()
        await self._board.start(_report(order), order.id, session.owner)
        self._changed()
        self._spawn(self._make(making, session, lake, earlier))
        return making.shown

    def ended(self, job: Job) -> bool:
        """Note a job that has ended; return whether it was that of a snapshot."""
        making = self._makings.get(job.id)
        if making is None or job.kind != "snapshot":
            return False
        if job.id in self._ends:
            self._ends.pop(job.id).set()
        if making.paused:
            self._spawn(self._go_on(making))
        if job.state == "done":
            # It is listed as being made until its manifest has been read.
            self.jobs[job.id] = job.version
            self._makings[job.id] = replace(making, paused=False)
        else:
            words = "was cancelled" if job.state == "cancelled" else "no longer reports"
            text = f"The process of the snapshot {words}."
            problem = job.problem or Problem(code="Conflict", message=text)
            self._makings[job.id] = replace(making, problem=problem, paused=False)
        self._spawn(self._orders.drop(job.id))
        self._changed()
        return True

    def cancel(self, job: str) -> None:
        """Cancel the making of a snapshot, or forget one that could not be made."""
        if self._makings[job].problem:
            del self._makings[job]
            self._changed()
        else:
            self._board.cancel(job)

    def settle(self, manifests: Iterable[Snapshot], now: datetime) -> None:
        """Forget what was made although its job was lost, and what failed long ago."""
        made = {(each.session, each.created): each.id for each in manifests}
        for job, making in list(self._makings.items()):
            draft = making.order.draft
            if found := made.get((draft.session, draft.created)):
                self.jobs[job] = found
            elif making.problem is None or now - draft.created < _REMEMBERED:
                continue
            if making.paused:
                self._spawn(self._go_on(making))
            del self._makings[job]
            self._spawn(self._orders.drop(job))

    async def close(self) -> None:
        """Stop; processes go on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _make(
        self, making: Making, session: Session, lake: Lake, earlier: Iterable[Making]
    ) -> None:
        """Quiesce the session, and start the process."""
        order = making.order
        try:
            for each in earlier:
                await self._wait(each.order.id, order)
            problems, paused, consistency = await self._quiesce(session)
            draft = replace(
                order.draft,
                consistency=consistency,
                problems=(*order.draft.problems, *problems),
            )
            order = replace(order, draft=draft, **self._look(session))
            self._makings[order.id] = replace(making, order=order, paused=paused)
            await self._orders.put(order)
            await self._process.start(order, self._orders.path(order.id), lake.name)
        except GpuQuotaError as error:
            self._board.fail(order.id, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a snapshot unfinished)
            _log.exception("a snapshot could not be begun")
            self._board.fail(order.id, Internal(f"The snapshot could not be begun: {error}."))

    async def _wait(self, earlier: str, order: SnapshotOrder) -> None:
        """Wait until an earlier snapshot of the session has ended; meanwhile, report."""
        while earlier in self._ends:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REPORT):
                    await self._ends[earlier].wait()
            await self._board.report(order.id, _report(order), order.draft.owner)

    async def _quiesce(self, session: Session) -> tuple[list[PartProblem], bool, Consistency]:
        """Let pages save and the hook pause the session; return what failed, and how it rests."""
        if session.state not in LIVE:
            return [], False, "quiesced"
        problems = []
        if unsaved := await self._pages.save(session.id):
            problems.append(PartProblem(part="notebooks", message=unsaved))
        paused, wrong = await self._hook.pause(session.id)
        if wrong:
            problems.append(PartProblem(part="hook", message=wrong))
        rests = paused and not problems
        return problems, paused, "quiesced" if rests else "best-effort"

    async def _go_on(self, making: Making) -> None:
        if wrong := await self._hook.resume(making.order.draft.session):
            _log.warning("After the snapshot %s: %s", making.order.id, wrong)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _report(order: SnapshotOrder) -> JobReport:
    return JobReport(kind="snapshot", folder=order.folder, state="running")


def _goes_on(making: Making, session: Session) -> bool:
    return making.problem is None and making.order.draft.session == session.id
