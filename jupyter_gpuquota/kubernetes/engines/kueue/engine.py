"""The Kueue engine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from ....core.requests.alternatives import smaller
from ....model.previews import Preview, QueuePosition
from ....model.quota import Department, Project
from ....model.resources import Share
from ....model.sessions import KINDS, Kind, Session, SessionSpec
from ....ports.backend import Differences
from ...api import Api, Fault
from ...objects.meta import Meta, Record
from ...shares.gpu_node import Division
from ..engine import Admission, EnginePatch, Gangs, unknown
from ..surroundings import Surroundings
from .administration import KueueAdministration
from .forecast import forecast
from .previews import PreviewFacts, preview_of
from .projects import project_of
from .victims import may_lose
from .view import KueueView
from .writes import revision_of

_ROOT = "/apis/visibility.kueue.x-k8s.io/v1beta2"
_PAUSE = 30.0
"""Seconds between two checks whether Kueue responds."""


class Pending(Record, frozen=True, kw_only=True):
    """A queued workload; Kueue counts positions from 0."""

    metadata: Meta
    position_in_local_queue: int = 0


class Summary(Record, frozen=True, kw_only=True):
    """The queued workloads of a LocalQueue."""

    items: tuple[Pending, ...] = ()


async def position(api: Api, namespace: str, local_queue: str, workload: str) -> int:
    """Return the position of a workload in its LocalQueue, from 1; 0 if it is not listed.

    Raises Fault, for example where Kueue's visibility API is switched off.
    """
    path = (
        f"{_ROOT}/namespaces/{quote(namespace, safe='')}/localqueues/{quote(local_queue, safe='')}"
    )
    body = await api.read(f"{path}/pendingworkloads")
    found = msgspec.json.decode(body, type=Summary).items
    place = (x.position_in_local_queue for x in found if x.metadata.name == workload)
    return next(place, -1) + 1


class Liveness:
    """Whether Kueue responds. Its webhooks refuse every pod while it does not."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._task: asyncio.Task[None] | None = None
        self.problem = ""

    def start(self) -> None:
        """Begin to check."""
        self._task = asyncio.ensure_future(self._run())

    async def close(self) -> None:
        """Stop checking."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def check(self) -> None:
        """Ask once; what refuses the question, or does not know it, says nothing about Kueue."""
        try:
            await self._api.read(_ROOT)
        except Fault as fault:
            self.problem = fault.message if fault.status == 503 else ""
        else:
            self.problem = ""

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE):
                    await self.check()
            await asyncio.sleep(_PAUSE)


QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_NOWHERE = "gpuquota-waits-for-data"
"""A queue that does not exist: without a label, Kueue may put a Job into the queue `default`."""


class KueueEngine:
    """Kueue: ClusterQueues that borrow from each other in Cohorts, and preempt to reclaim."""

    name = "kueue"
    gangs: Gangs = "granted"
    divides: Division = ""
    differences = Differences(orders_within_a_second=False)

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._view = KueueView(around)
        self._liveness = Liveness(around.api)
        self._ends: Sequence[Callable[[], None]] = ()
        self.administration = KueueAdministration(around, self._view)

    async def start(self, changed: Callable[[], None]) -> None:
        """Follow Kueue's objects; call `changed` after each change."""
        self._ends = self._view.subscribe(changed)
        self._liveness.start()

    async def close(self) -> None:
        """Stop following."""
        for end in self._ends:
            end()
        self._ends = ()
        await self._liveness.close()

    def warnings(self) -> Sequence[str]:
        """Return what administrators should know of Kueue and its queues."""
        found = list(self._view.warnings)
        if closed := self._view.closed:
            found.append(
                f"The ClusterQueues behind {', '.join(closed)} cannot be read, so that quotas and "
                "what would happen to a request are unknown. The role jupyter-gpuquota-reader "
                "allows it."
            )
        if problem := self._liveness.problem:
            found.insert(
                0,
                "Kueue does not respond, so that no session can start: its webhooks refuse all "
                f"pods until it runs again. The API server says: {problem}",
            )
        return found

    def projects(self) -> Sequence[Project]:
        """Return the namespaces whose queues give GPUs.

        Where ClusterQueues may not be read, quotas are unknown: the whole cluster stands for them.
        """
        known, priorities = self._view.projects.values(), self._view.priorities
        found = [project_of(queues, revision_of(queues), priorities) for queues in known]
        capacity = self._around.capacity()
        unknown = (Project(name=n, quota=capacity, preemptible=KINDS) for n in self._view.closed)
        return [*found, *unknown]

    def departments(self) -> Sequence[Department]:
        """Return the Cohorts that projects are in."""
        return self._view.departments

    def limits(self, project: str) -> bool:
        """Return whether the ClusterQueues of a namespace may be read."""
        return project in self._view.projects

    def counts(self, project: str, kind: Kind, resource: str) -> bool:
        """Return whether the ClusterQueue for a kind of session covers a resource."""
        queues = self._view.projects.get(project)
        return queues is None or queues.covers(kind, resource)

    def patch(self, spec: SessionSpec) -> EnginePatch:
        """Return the labels that put a session into the queue for its kind."""
        queues, closed = self._view.projects.get(spec.project), self._view.closed.get(spec.project)
        local = queues.of(spec.kind) if queues else closed
        labels = {QUEUE_LABEL: local.metadata.name} if local else {}
        if (name := self._view.class_of(spec.kind)) in self._view.state.priorities:
            labels[PRIORITY_LABEL] = name
        return EnginePatch(labels=labels, held={QUEUE_LABEL: _NOWHERE}, starts_jobs=True)

    def admission(self, session: Session) -> Admission:
        """Return what Kueue says about a session."""
        return self._view.reader().admission(session, self._view.wanted(session.spec))

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return what Kueue would do with a request, by its quotas and what is in use now."""
        view, wanted = self._view, self._view.wanted(spec)
        if not wanted.milli or wanted.project not in view.projects:
            return unknown(wanted.milli)
        queues = view.projects[wanted.project]
        facts = PreviewFacts(
            wanted,
            forecast(wanted, view.projects),
            place=len(view.state.queued.get(queues.of(spec.kind).key, ())) + 1,
            kept=not may_lose(queues, wanted.kind, view.priorities),
            nearest=self._nearest(spec),
        )
        return preview_of(facts, view.state, view.projects)

    async def position(self, session: Session) -> QueuePosition:
        """Return why a session is queued, and its position in Kueue's own list."""
        reader = self._view.reader()
        known = reader.admission(session, self._view.wanted(session.spec)).queue
        workload = reader.workload_of(session)
        if known is None or workload is None:
            return QueuePosition(session=session.id, reason=session.reason)
        try:
            place = await position(
                self._around.api,
                workload.metadata.namespace,
                workload.spec.queue_name,
                workload.metadata.name,
            )
        except Fault:  # it is switched off, or we may not read it: by the same rule from memory
            return known
        return replace(known, position=place or known.position)

    def _nearest(self, spec: SessionSpec) -> Share | None:
        """Return the largest smaller share that would be admitted now."""
        for share in smaller(spec.share):
            wanted = self._view.wanted(replace(spec, share=share))
            if forecast(wanted, self._view.projects).verdict in {"fits", "borrows"}:
                return share
        return None
