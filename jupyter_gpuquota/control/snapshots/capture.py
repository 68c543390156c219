"""Making snapshots: pages save, the hook pauses the session, a process stores it, it goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from msgspec.structs import replace

from ...core import tracking
from ...core.snapshots import requests
from ...errors import Conflict, GpuQuotaError, Internal, Unsupported
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job, JobReport
from ...model.sessions import LIVE, Session
from ...model.snapshots.manifest import Consistency, Manifest, PartProblem, Trigger
from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import Snapshot, SnapshotRequest
from ...model.struct import Problem
from ...ports.charge import NotInCharge
from ...ports.runs import Runs
from ...ports.variables import KernelVariables
from ...store.spawn import new_id
from ..datasets.job_board import JobBoard
from .orders import Making, Orders, Process
from .quiescence import Hook, SavingPages

T = TypeVar("T")
_REMEMBERED = timedelta(days=1)
"""How long a snapshot is listed that could not be made."""
_REPORT = 5.0
"""Seconds between reports of a snapshot that has not begun."""
_log = logging.getLogger(__name__)
_DIGITS = 32
_IN_CHARGE = 1.0
"""Seconds after which a controller looks whether it is in charge again."""


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
        look: Callable[[Session, Collection[str] | None], Mapping[str, Any]],
        changed: Callable[[], None],
    ) -> None:
        self.runs: Runs | None = None
        """What reads and tags runs of MLflow; set when the backend is complete."""
        self.variables: KernelVariables | None = None
        """What lets kernels write variables; set when the backend is complete."""
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
        self._thaws: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def all(self) -> tuple[Snapshot, ...]:
        """Return the snapshots that are being made or could not be made."""
        return tuple(each.shown for each in self._makings.values())

    async def resume(self) -> list[SnapshotOrder]:
        """Take up what an earlier controller has begun, and return it; processes report again."""
        orders = [each for each in await self._orders.left() if each.id not in self._makings]
        for order in orders:
            self._add(Making(order=order, paused=order.running and not order.failure))
            if order.failure:
                self._ends[order.id].set()
            else:
                await self._board.start(_report(order), order.id, order.draft.owner)
        return [each for each in orders if not each.failure]

    async def again(self, order: SnapshotOrder) -> None:
        """Start the process of a snapshot; a failure is told to the job board."""
        try:
            if order.variables and not order.dump:
                order = await in_charge(partial(written, self.variables, order))
                await self._orders.put(order)
            await self._process.start(order, self._orders.path(order.id), order.lake)
        except GpuQuotaError as error:
            self._board.fail(order.id, error)

    async def create(
        self,
        session: Session,
        request: SnapshotRequest,
        author: str,
        trigger: Trigger,
        parent: str,
    ) -> Snapshot:
        """Begin to take a snapshot; of several of a session, each waits for the one before.

        It is on disk before it is answered. Raises Conflict without a lake, StorageFailed.
        """
        order = self.order(session, request, author, trigger, parent)
        making = Making(order=order)
        others = self._makings.values()
        earlier = [self._ends[each.order.id] for each in others if each.of(session.id)]
        await self._orders.put(order)
        self._add(making)
        await self._board.start(_report(order), order.id, session.owner)
        self._changed()
        self._spawn(self._make(making, session, earlier))
        return making.shown

    def order(
        self,
        session: Session,
        request: SnapshotRequest,
        author: str,
        trigger: Trigger = "request",
        parent: str = "",
    ) -> SnapshotOrder:
        """Return the order of a snapshot. Raises Conflict without a lake."""
        lake = self._lake()
        if lake is None:
            raise Conflict("There is no lake for snapshots.", hint="An admin adds one: data lakes.")
        draft = requests.draft(
            session,
            request,
            author=author,
            trigger=trigger,
            parent=parent,
            consistency="best-effort" if session.state in LIVE else "quiesced",
            now=datetime.now(UTC),
        )
        known = self._look(session, request.volumes)
        return replace(_order(session, request, draft, lake), **known)

    def frozen(self, job: str) -> None:
        """Let a session go on whose folder the process of a snapshot has frozen."""
        if (making := self._makings.get(job)) and making.paused:
            self._makings[job] = replace(making, paused=False)
            self._thaws[job] = asyncio.create_task(self._thaw(making))

    def ended(self, job: Job) -> bool:
        """Note a job that has ended; return whether it was that of a snapshot."""
        making = self._makings.get(job.id)
        if making is None or job.kind != "snapshot":
            return False
        self._ends[job.id].set()
        if job.state == "done":
            # It is listed as being made until its manifest has been read.
            self._spawn(tag_run(self.runs, making.order.draft, job.version))
            self._makings[job.id] = replace(making, paused=False)
        else:
            words = "was cancelled" if job.state == "cancelled" else "no longer reports"
            text = f"The process of the snapshot {words}."
            problem = job.problem or Problem(code="Conflict", message=text)
            order = replace(making.order, failure=problem)
            self._makings[job.id] = replace(making, order=order, paused=False)
        self._spawn(self._finish(making))
        self._changed()
        return True

    def cancel(self, job: str) -> None:
        """Cancel the making of a snapshot, or forget one that could not be made."""
        if self._makings[job].problem:
            del self._makings[job], self._ends[job]
            self._spawn(self._orders.drop(job))
            self._changed()
        else:
            self._board.cancel(job)

    def settle(self, manifests: Iterable[Snapshot], now: datetime) -> None:
        """Forget what was made although its job was lost, and what failed long ago."""
        made = {(each.session, each.created) for each in manifests}
        for job, making in list(self._makings.items()):
            draft = making.order.draft
            is_made = (draft.session, draft.created) in made
            if not is_made and (making.problem is None or now - draft.created < _REMEMBERED):
                continue
            end = self._ends.pop(job)
            del self._makings[job]
            if making.problem:
                self._spawn(self._orders.drop(job))
            elif not end.is_set():  # else it is being finished, and its order goes at the end
                end.set()
                self._spawn(self._finish(making))

    async def close(self) -> None:
        """Stop; processes go on."""
        self._is_closed = True
        tasks = [*self._tasks, *self._thaws.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _make(
        self, making: Making, session: Session, earlier: Iterable[asyncio.Event]
    ) -> None:
        """Quiesce the session, and start the process."""
        order = making.order
        waiting = asyncio.create_task(self._report(order))
        try:
            for each in earlier:
                await each.wait()
            problems, paused, consistency = await self._quiesce(session)
            draft = replace(
                order.draft,
                consistency=consistency,
                problems=(*order.draft.problems, *problems),
            )
            draft = await in_charge(partial(with_run, self.runs, draft))
            order = replace(order, draft=draft)
            self._makings[order.id] = replace(making, order=order, paused=paused)
            await self._orders.put(order)
            await self.again(order)
        except GpuQuotaError as error:
            self._board.fail(order.id, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a snapshot unfinished)
            _log.exception("a snapshot could not be begun")
            self._board.fail(order.id, Internal(f"The snapshot could not be begun: {error}."))
        finally:
            waiting.cancel()

    async def _report(self, order: SnapshotOrder) -> None:
        """Report a snapshot that has not begun, until this is cancelled."""
        while True:
            await asyncio.sleep(_REPORT)
            await self._board.report(order.id, _report(order), order.draft.owner)

    async def _quiesce(self, session: Session) -> tuple[list[PartProblem], bool, Consistency]:
        """Let pages save and the hook pause the session; return what failed, and how it rests."""
        if session.state not in LIVE:
            return [], False, "quiesced"
        problems = []
        if unsaved := await self._pages.save(session.id):
            problems.append(PartProblem(part="notebooks", message=unsaved))
        paused, wrong = await in_charge(lambda: self._hook.pause(session.id))
        if wrong:
            problems.append(PartProblem(part="hook", message=wrong))
        rests = paused and not problems
        return problems, paused, "quiesced" if rests else "best-effort"

    async def _thaw(self, making: Making) -> None:
        """Note that the session no longer rests, should another process begin anew; go on."""
        draft = replace(making.order.draft, consistency="best-effort")
        await self._orders.put(replace(making.order, draft=draft))
        await self._go_on(making)

    async def _finish(self, making: Making) -> None:
        """Let the session go on, then forget the order, unless it is listed as one that failed.

        Who is interrupted does it again.
        """
        if thaw := self._thaws.pop(making.order.id, None):
            await thaw
        if making.paused:
            await self._go_on(making)
        listed = self._makings.get(making.order.id)
        if listed and listed.problem:
            await self._orders.put(listed.order)
        else:
            await self._orders.drop(making.order.id)

    async def _go_on(self, making: Making) -> None:
        wrong = await in_charge(lambda: self._hook.resume(making.order.draft.session))
        if wrong:
            _log.warning("After the snapshot %s: %s", making.order.id, wrong)

    def _add(self, making: Making) -> None:
        self._makings[making.order.id] = making
        self._ends[making.order.id] = asyncio.Event()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if self._is_closed:  # the next controller does it
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _order(
    session: Session, request: SnapshotRequest, draft: Manifest, lake: Lake
) -> SnapshotOrder:
    job = new_id()
    return SnapshotOrder(
        id=job,
        lake=lake.name,
        draft=replace(draft, job=job),
        folder=session.spec.folder,
        prefix=session.spec.environment,
        running=session.state in LIVE,
        volumes=request.volumes,
        patterns=request.exclude,
        artifacts=request.artifacts,
        variables=request.variables,
        dump=request.dump,
        notebook=request.notebook,
    )


def _report(order: SnapshotOrder) -> JobReport:
    return JobReport(kind="snapshot", folder=order.folder, state="running")


async def written(able: KernelVariables | None, order: SnapshotOrder) -> SnapshotOrder:
    """Return an order whose variables a kernel has written, or with the reason why not.

    Raises NotInCharge.
    """
    dump = sha256(order.id.encode()).hexdigest()[:_DIGITS]
    try:
        if able is None:
            raise Unsupported("This backend does not ask kernels for their variables.")
        await able.write(order.draft.session, order.variables, order.notebook, dump)
    except NotInCharge:
        raise
    except GpuQuotaError as error:
        problem = PartProblem(part="kernel", message=error.message)
        draft = replace(order.draft, problems=(*order.draft.problems, problem))
        return replace(order, draft=draft, variables=())
    return replace(order, dump=dump)


async def with_run(runs: Runs | None, draft: Manifest) -> Manifest:
    """Return a draft with the run that its session began last, as far as that can be read.

    Raises NotInCharge.
    """
    if runs is None:
        return draft
    try:
        found = await runs.of(draft.session)
    except NotInCharge:
        raise
    except GpuQuotaError as error:
        return _without(draft, error.message)
    return _without(draft, found.problem) if found.problem else tracking.recorded(draft, found)


async def tag_run(runs: Runs | None, draft: Manifest, snapshot: str) -> None:
    """Tag the run of a snapshot that is complete. A failure is logged: the snapshot is whole."""
    if runs is None or not draft.mlflow_run:
        return
    try:
        tags = tracking.snapshot_tags(draft, snapshot)
        wrong = await runs.tag(draft.session, draft.mlflow_run, tags)
    except GpuQuotaError as error:
        wrong = error.message
    if wrong:
        _log.warning("The run of the snapshot %s was not tagged: %s", snapshot, wrong)


def _without(draft: Manifest, why: str) -> Manifest:
    problem = PartProblem(part="mlflow", message=why)
    return replace(draft, problems=(*draft.problems, problem))


async def in_charge(work: Callable[[], Awaitable[T]]) -> T:
    """Return what `work` returns, once this controller is in charge; until then, wait."""
    while True:
        try:
            return await work()
        except NotInCharge:
            await asyncio.sleep(_IN_CHARGE)
