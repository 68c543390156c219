"""What KAI schedules, as sessions on numbered GPUs, which our own scheduler can read. Pure.

KAI names a shared GPU by its group, and whole ones not at all: on each node the groups come first,
then the GPUs of pods that have whole ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from ....core.scheduling.snapshot import ClusterSnapshot
from ....model.quota import Project
from ....model.resources import MILLI, Device, Holding, Node, Placement, Share, Slice
from ....model.sessions import Kind, Session, SessionSpec
from ...labels import SESSION
from ...nodes import ClusterNodes
from ...objects.pods import Pod, requested
from ...shares.gpu_node import GPU, MEMORY, GpuNode
from ...shares.kai import devices_requested, is_reservation, part_of, part_requested
from .objects import PodGroup
from .queues import SCHEDULERS

GROUP_NAME = "pod-group-name"
"""Annotation of a pod: its PodGroup."""
PREEMPTIBILITY = "kai.scheduler/preemptibility"
CLASSES: Mapping[Kind, str] = {
    "interactive": "build",
    "interactive-spot": "build-preemptible",
    "train": "train",
}
"""The priority class of each kind of session; a StatefulSet without one would be `train`."""
FIXED = frozenset({"build", "inference"})
"""The classes of KAI that are not preempted, and do not borrow."""
_RANK: Mapping[Kind, int] = {"interactive": 100, "interactive-spot": 75, "train": 50}

PodGroups = Mapping[tuple[str, str], PodGroup]
"""PodGroups by namespace and name."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a cluster: `projects` by the names of their queues, and its objects."""

    projects: Mapping[str, Project]
    cluster: ClusterNodes
    pods: Sequence[Pod]
    groups: PodGroups
    sessions: Sequence[Session]
    now: datetime


def snapshot_of(seen: Seen) -> ClusterSnapshot:
    """Return what our scheduler reads: sessions, and other workloads of the queues like them."""
    places = dict(_places(seen))
    known = {(s.spec.project, s.id): s for s in seen.sessions}
    sessions: dict[str, Session] = {}
    holdings: list[Holding] = []
    for pod in seen.pods:
        meta = pod.metadata
        place = places.get(meta.uid)
        own = known.get((meta.namespace, meta.labels.get(SESSION, "")))
        queued = own or _of_queue(pod, seen)
        if _has_ended(pod) or (place is None and pod.spec.node_name):
            continue
        if queued is None:
            holdings += [Holding(name="/".join(pod.key), placement=place)] if place else []
        elif place or queued.id not in sessions:
            sessions[queued.id] = _as_is(queued, pod, place)
    waiting = (s for s in seen.sessions if s.state == "waiting" and s.id not in sessions)
    return ClusterSnapshot(
        sessions=[*sessions.values(), *map(_ranked, waiting)],
        projects=[_lending(project) for project in seen.projects.values()],
        nodes=[*_nodes(seen.cluster)],
        now=seen.now,
        holdings=holdings,
    )


def kind_of(group: PodGroup | None) -> Kind:
    """Return the kind of session that a workload is like, by its class."""
    if group is None:
        return "train"
    name, said = group.spec.priority_class_name, group.spec.preemptibility
    if (name in FIXED and said != "preemptible") or said == "non-preemptible":
        return "interactive"
    return "interactive-spot" if name == CLASSES["interactive-spot"] else "train"


def _has_ended(pod: Pod) -> bool:
    return pod.status.phase in ("Succeeded", "Failed")


def _places(seen: Seen) -> Iterator[tuple[str, Placement]]:
    """Yield the numbered GPUs of pods, by uid; a GPU that is kept for unknown ones is full."""
    on_nodes: dict[str, list[Pod]] = {}
    for pod in seen.pods:
        if pod.spec.node_name and not _has_ended(pod):
            on_nodes.setdefault(pod.spec.node_name, []).append(pod)
    for name, pods in on_nodes.items():
        yield from _places_on(seen.cluster.gpus.get(name, GpuNode(name=name)), pods)


def _places_on(node: GpuNode, pods: Sequence[Pod]) -> Iterator[tuple[str, Placement]]:
    kept = {p.metadata.uid for p in pods if is_reservation(p.metadata)}
    parts = {p.metadata.uid: part_of(p.metadata, node) for p in pods}
    shared = {group for part in parts.values() if part for group in part.groups}
    numbers = {group: index for index, group in enumerate(sorted(shared))}
    following = len(numbers)
    for pod in sorted(pods, key=lambda p: p.metadata.uid):
        uid = pod.metadata.uid
        if part := parts[uid]:
            pieces = [_slice(node, numbers[group], part.milli) for group in part.groups]
            yield uid, Placement(node=node.name, slices=tuple(pieces))
        elif uid not in kept or shared.isdisjoint(pod.metadata.labels.values()):
            count = node.milli(GPU, requested(pod.spec).get(GPU, 0)) // MILLI
            whole = [_slice(node, following + index, MILLI) for index in range(count)]
            following += count
            yield uid, Placement(node=node.name, slices=tuple(whole))


def _slice(node: GpuNode, index: int, milli: int) -> Slice:
    memory = node.usable * milli // MILLI
    return Slice(index=index, uuid=_uuid(node.name, index), milli=milli, memory=memory)


def _nodes(cluster: ClusterNodes) -> Iterator[Node]:
    """Yield the nodes whose GPUs KAI gives out; one where nothing starts has none."""
    for node in cluster.nodes:
        gpus = cluster.gpus[node.name]
        count = 0 if node.problem or gpus.sharing else gpus.offered
        devices = tuple(
            Device(
                index=index,
                uuid=_uuid(node.name, index),
                model=gpus.product or "GPU",
                memory=gpus.usable,
            )
            for index in range(count)
        )
        yield replace(node, devices=devices, problem="")


def _uuid(node: str, index: int) -> str:
    return f"{node}/{index}"


def _of_queue(pod: Pod, seen: Seen) -> Session | None:
    """Return a workload of a project's queue as a session, None for one of no such queue."""
    meta = pod.metadata
    scheduler = SCHEDULERS.get(pod.spec.scheduler_name)
    if scheduler is None:
        return None
    group = seen.groups.get((meta.namespace, meta.annotations.get(GROUP_NAME, "")))
    queue = group.spec.queue if group else meta.labels.get(scheduler.queue_label, "")
    project = seen.projects.get(queue)
    created = meta.creation_timestamp or seen.now
    if project is None:
        return None
    spec = SessionSpec(
        name=meta.name,
        project=project.name,
        kind=kind_of(group),
        share=_share(pod, seen.cluster),
        environment="",
        folder="/",
    )
    return Session(
        id=f"{meta.namespace}/{meta.name}",
        spec=spec,
        owner="",
        state="waiting",
        since=created,
        created=created,
        path="",
    )


def _share(pod: Pod, cluster: ClusterNodes) -> Share:
    """Return what a workload requests. Parts of several GPUs count as their sum."""
    annotations = pod.metadata.annotations
    whole = requested(pod.spec).get(GPU, 0)
    if whole:
        return Share(milli=whole * MILLI)
    count = devices_requested(annotations)
    if count == 1 and (memory := annotations.get(MEMORY, "")).isdecimal():
        return Share(memory=int(memory))
    sizes = (gpus.usable for gpus in cluster.gpus.values() if gpus.divides and gpus.usable)
    return Share(milli=part_requested(annotations, min(sizes, default=0)) * count)


def _as_is(session: Session, pod: Pod, place: Placement | None) -> Session:
    """Return a session in the state of its pod."""
    ranked = _ranked(session)
    if place is None:
        return replace(ranked, state="waiting", placement=None)
    leaving = pod.metadata.deletion_timestamp is not None
    started = session.started or pod.status.start_time or session.created
    state, goal = ("stopping", "requeue") if leaving else ("running", "run")
    return replace(ranked, state=state, goal=goal, placement=place, started=started)


def _ranked(session: Session) -> Session:
    """Return a session with the priority that KAI gives its kind."""
    spec = replace(session.spec, priority=_RANK.get(session.spec.kind, 0))
    return replace(session, spec=spec)


def _lending(project: Project) -> Project:
    """Return a project as our scheduler has to see it: without a weight it may borrow, too."""
    return replace(project, weight=max(1, project.weighs))
