"""Which queue the sessions of a namespace go to. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from ....model.quota import Project
from ....model.sessions import Kind
from ...objects.cluster import Namespace
from ..extras import ANNOTATION, extras_of
from .objects import KaiProject, Queue, Queues, milli_of, seconds, weight_of

QUEUE_LABEL = "kai.scheduler/queue"
"""Label of workloads; on a namespace it names the queue of its sessions."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler that has KAI's queues, and the label by which its pods name theirs."""

    name: str
    queue_label: str


KAI = Scheduler("kai-scheduler", QUEUE_LABEL)
RUNAI = Scheduler("runai-scheduler", "runai/queue")
"""Run:ai labels the namespaces of its projects like its pods.

https://docs.nvidia.com/run-ai, "Setting the Default Scheduler".
"""
SCHEDULERS: Mapping[str, Scheduler] = {each.name: each for each in (KAI, RUNAI)}
_PROJECT_LABEL = "kai/project"

PREEMPTIBLE: tuple[Kind, ...] = ("interactive-spot", "train")
"""The kinds of sessions that may be preempted, whatever the priority of their classes."""


@dataclass(frozen=True)
class ProjectQueue:
    """A namespace with its leaf queue, and those above it, the nearest first."""

    namespace: str
    leaf: Queue
    above: tuple[Queue, ...] = ()
    scheduler: Scheduler = KAI

    @property
    def name(self) -> str:
        """The name of the leaf queue."""
        return self.leaf.metadata.name

    @property
    def revision(self) -> str:
        """The revision of the settings: a hash of all that they are read from."""
        annotation = self.leaf.metadata.annotations.get(ANNOTATION, "")
        parts = (self.name, self.leaf.spec, annotation)
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]

    @property
    def limit(self) -> int | None:
        """The most that it may use, and those above it, in milli-GPU; None for no limit."""
        found = (milli_of(queue.spec.resources.gpu.limit) for queue in (self.leaf, *self.above))
        return min((limit for limit in found if limit is not None), default=None)

    def project(self, capacity: int) -> Project:
        """Return the project; a quota without bounds is the `capacity` of the cluster."""
        gpu, extras = self.leaf.spec.resources.gpu, extras_of(self.leaf)
        quota = milli_of(gpu.quota)
        return Project(
            name=self.namespace,
            quota=capacity if quota is None else quota,
            limit=self.limit,
            weight=weight_of(gpu),
            priority=self.leaf.spec.priority,
            min_runtime=seconds(self.leaf.spec.reclaim_min_runtime),
            node_affinity=extras.node_affinity,
            interactive_duration=extras.interactive_duration,
            preemptible=PREEMPTIBLE,
            revision=self.revision,
        )


def find_queues(
    queues: Iterable[Queue],
    namespaces: Iterable[Namespace],
    projects: Iterable[KaiProject] = (),
    named: Iterable[str] = (),
) -> Mapping[str, ProjectQueue]:
    """Return the queue of each namespace that has one.

    It is the one that the namespace's label `kai.scheduler/queue` or `runai/queue` names, that of
    its KAI Project, or the one of the same name. `named` are namespaces that may not be
    listed. Only a leaf takes workloads.
    """
    known = {queue.metadata.name: queue for queue in queues}
    parents = {queue.spec.parent_queue for queue in known.values()}
    of_projects = dict(_of_projects(projects))
    labels = {each.metadata.name: each.metadata.labels for each in namespaces}
    found = {}
    for namespace in sorted({*labels, *named}):
        own = labels.get(namespace, {})
        by_label = of_projects.get(own.get(_PROJECT_LABEL, ""), "")
        by_project = by_label or of_projects.get(f"/{namespace}", "")
        by_runai = own.get(RUNAI.queue_label, "")
        name = own.get(QUEUE_LABEL, "") or by_runai or by_project or namespace
        if name in known and name not in parents:
            above = tuple(_above(known[name], known))
            scheduler = RUNAI if by_runai else KAI
            found[namespace] = ProjectQueue(namespace, known[name], above, scheduler)
    return found


def _of_projects(projects: Iterable[KaiProject]) -> Iterator[tuple[str, str]]:
    """Yield the first queue of each project, by its name, and by its namespace after a slash."""
    for project in projects:
        if project.spec.queues:
            queue = project.spec.queues[0].name
            yield project.metadata.name, queue
            yield f"/{project.namespace}", queue


def _above(queue: Queue, known: Queues) -> Iterator[Queue]:
    seen = {queue.metadata.name}
    while (name := queue.spec.parent_queue) in known and name not in seen:
        seen.add(name)
        queue = known[name]
        yield queue


def uncounted(found: Mapping[str, ProjectQueue]) -> Iterator[str]:
    """Yield which queues, or queues above them, allow no CPU or no memory, so that no pod starts.

    An absent limit means 0.
    """
    all_queues = {q.metadata.name: q for each in found.values() for q in (each.leaf, *each.above)}
    for name, queue in sorted(all_queues.items()):
        resources = queue.spec.resources
        lacking = [
            word
            for word, each in (
                ("GPUs", resources.gpu),
                ("CPU", resources.cpu),
                ("memory", resources.memory),
            )
            if each.limit == 0
        ]
        if lacking:
            yield (
                f"Queue {name} allows no {' and no '.join(lacking)}: KAI Scheduler reads an absent "
                "limit as 0. Set limit and quota to -1 where nothing is to be limited."
            )
