"""The KAI Scheduler engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from ....core.forecast import previews
from ....core.scheduling.snapshot import ClusterSnapshot
from ....model.messages.build import joined, message
from ....model.messages.formats import share_arg
from ....model.previews import Preview, QueuePosition
from ....model.quota import Department, Project
from ....model.sessions import Kind, Session, SessionSpec
from ....ports.backend import Differences
from ...shares.gpu_node import Division
from ..engine import Admission, EnginePatch, Gangs, unknown
from ..surroundings import Surroundings, versions
from .administration import KaiAdministration
from .objects import PROJECTS_GROUP, PROJECTS_VERSION, milli_of
from .queues import KAI, PREEMPTIBLE, ProjectQueue, uncounted
from .reasons import explained, said
from .view import KaiView, evicted
from .workloads import PREEMPTIBILITY

LIMITS_GROUP = "gpu-fractioning.kai.scheduler"
"""The API of the add-on that limits the memory of fractions."""
RUNAI_GROUP = "run.ai"
"""The API of Run:ai's own kinds, such as its projects."""
_CLASS = "priorityClassName"
_TOGETHER = "kai.scheduler/batch-min-member"
"""Annotation of a Job: how many pods start together. Without it each starts by itself."""


class KaiEngine:
    """KAI Scheduler: queues with quotas, fractions of GPUs, and reclaims between queues."""

    name = "kai"
    gangs: Gangs = "granted"
    differences = Differences(orders_within_a_second=False, withdraws_commands=False)

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._view = KaiView(around)
        self._ends: list[Callable[[], None]] = []
        self.divides: Division = "counted"
        self.administration = KaiAdministration(around, self._view)

    async def start(self, changed: Callable[[], None]) -> None:
        """Follow KAI's objects, and those of its add-ons that are installed."""
        api = self._around.api
        if await versions(api, LIMITS_GROUP):
            self.divides = "limited"
        elif await versions(api, RUNAI_GROUP):
            self.divides = "runai"
        self._ends = self._view.subscribe(changed)
        if PROJECTS_VERSION in await versions(api, PROJECTS_GROUP):
            self._ends.append(self._view.follow_projects())

    async def close(self) -> None:
        """Stop following."""
        for end in self._ends:
            end()
        self._ends = []

    def warnings(self) -> Sequence[str]:
        """Return what administrators should know of the queues and classes."""
        return [*uncounted(self._view.state.queues), *self._view.missing_classes()]

    def projects(self) -> Sequence[Project]:
        """Return the namespaces that have a queue."""
        return self._view.projects()

    def departments(self) -> Sequence[Department]:
        """Return the queues above those of projects."""
        return departments_of(self._view.state.queues)

    def limits(self, project: str) -> bool:
        """Return whether a namespace has a queue."""
        return project in self._view.state.queues

    def counts(self, project: str, kind: Kind, resource: str) -> bool:
        """Return whether KAI counts a resource: all but the one of thousandths."""
        return resource != self._around.settings.gpus.milli

    def patch(self, spec: SessionSpec) -> EnginePatch:
        """Return the scheduler, and the labels that name queue and class.

        They are on the pod as well: KAI reads them there, and a Job's own are not its pods'.
        """
        found = self._view.state.queues.get(spec.project)
        if found is None:  # KAI refuses it, and so does not let it bypass its quotas
            return EnginePatch(scheduler=KAI.name)
        name = self._view.class_of(spec.kind)
        kept = "preemptible" if spec.kind in PREEMPTIBLE else "non-preemptible"
        by = found.scheduler
        labels = {by.queue_label: found.name, _CLASS: name, PREEMPTIBILITY: kept}
        together = {_TOGETHER: str(spec.processes)} if spec.processes > 1 else {}
        return EnginePatch(
            labels=labels, annotations=together, pod_labels=labels, scheduler=by.name
        )

    def admission(self, session: Session) -> Admission:
        """Return what KAI says about a session."""
        view = self._view
        pod, group = view.pod(session), view.group(session)
        if (pod and pod.spec.node_name) or session.spec.project not in view.state.queues:
            return Admission()
        words = said(group, pod)
        if any("persistentvolumeclaim" in each.message.lower() for each in words):
            return Admission()  # what is wrong with its volumes is told by its pod
        sessions = self._around.sessions()
        lost = evicted(session, group, view.state.evictions, sessions) if group else None
        queue = self._queued(session) if pod or lost else None
        return Admission(
            admitted=False,
            queue=queue,
            reclaim=lost.reclaim if lost else None,
            reason=lost.reason if lost else None,
        )

    async def preview(self, spec: SessionSpec) -> Preview:
        """Return what KAI would do with a request, by its queues and what is in use now."""
        cost = self._around.cost(spec)
        if not cost or spec.project not in self._view.state.queues:
            return unknown(cost)
        return preview(spec, self._view.snapshot())

    async def position(self, session: Session) -> QueuePosition:
        """Return why a session is queued, and its position by class and age."""
        if session.state != "waiting":
            return QueuePosition(session=session.id, reason=session.reason)
        return self._queued(session)

    def _queued(self, session: Session) -> QueuePosition:
        view = self._view
        numbers, queue = view.numbers(), view.state.queues.get(session.spec.project)
        words = said(view.group(session), view.pod(session))
        why = explained(words, session, numbers, queue.name if queue else "")
        place = numbers.place(session)
        return QueuePosition(session=session.id, reason=why or session.reason, position=place)


def departments_of(found: Mapping[str, ProjectQueue]) -> tuple[Department, ...]:
    """Return the queues above the leaves of projects, by name, with the projects in each."""
    queues = {queue.metadata.name: queue for each in found.values() for queue in each.above}
    inside: dict[str, list[str]] = defaultdict(list)
    for each in found.values():
        if each.above:
            inside[each.above[0].metadata.name].append(each.namespace)
    return tuple(
        Department(
            name=name,
            parent=queue.spec.parent_queue if queue.spec.parent_queue in queues else "",
            projects=tuple(sorted(inside[name])),
            quota=milli_of(queue.spec.resources.gpu.quota),
            limit=milli_of(queue.spec.resources.gpu.limit),
        )
        for name, queue in sorted(queues.items())
    )


def preview(spec: SessionSpec, snapshot: ClusterSnapshot) -> Preview:
    """Return what would become of a request; where it would run, only KAI decides."""
    found = previews.preview(spec, snapshot)
    admitted = message("preview.admitted", share=share_arg(spec.share))
    sentences = tuple(admitted if each.key in previews.PLACED else each for each in found.sentences)
    sentences = (*sentences, message("preview.estimate"))
    return replace(
        found, message=joined(*sentences), sentences=sentences, placement=None, isolation=None
    )
