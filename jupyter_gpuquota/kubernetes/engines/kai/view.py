"""KAI's objects in memory, and what is computed from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any

from ....control.scheduler import CYCLE, after
from ....core.names import mention
from ....core.scheduling.snapshot import ClusterSnapshot
from ....model.messages.build import reason
from ....model.quota import Project
from ....model.reasons import Reason
from ....model.sessions import KINDS, Kind, Reclaim, Session
from ...labels import PREFIX, SESSION, object_name
from ...namespaces import visible
from ...objects.pods import Event, Pod
from ...resources import EVENTS, NAMESPACES, PODS
from ...watching.derived import Derived
from ..surroundings import Known, Surroundings
from .objects import (
    KAI_PROJECTS,
    POD_GROUPS,
    PRIORITY_CLASSES,
    QUEUES,
    KaiProject,
    PodGroup,
)
from .queues import ProjectQueue, find_queues
from .reasons import Numbers
from .workloads import CLASSES, GROUP_NAME, Seen, snapshot_of

_ACTION = "evictor-action-type"
_NAMESPACE = "evictor-pod-group-namespace"
_NAME = "evictor-pod-group-name"
_EVICTED = "kai.scheduler/last-eviction-timestamp"
_STARTED = "kai.scheduler/last-start-timestamp"
_OWNED = re.compile(r"pg-(?P<owner>.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)

Evictions = Mapping[tuple[str, str], Event]
"""The last `Evict` event of PodGroups, by namespace and name."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """For whom a session was evicted, and why."""

    reclaim: Reclaim
    reason: Reason


def is_eviction(event: Event) -> bool:
    """Return whether an event says that the pods of a PodGroup were evicted."""
    about = event.involved_object
    is_own = about.namespace == event.metadata.namespace
    return event.reason == "Evict" and about.kind == "PodGroup" and is_own


def evictions_of(events: Iterable[Event]) -> Evictions:
    """Return the last `Evict` event of each PodGroup."""
    found: dict[tuple[str, str], Event] = {}
    for event in events:
        if not is_eviction(event):
            continue
        about = event.involved_object
        key = about.namespace, about.name
        if key not in found or _at(found[key]) <= _at(event):
            found[key] = event
    return found


def owner_of(pod_group: str) -> str:
    """Return the name of the object whose pods a PodGroup has, by KAI's naming; empty if none."""
    found = _OWNED.fullmatch(pod_group)
    return found["owner"] if found else ""


def evicted(
    session: Session, group: PodGroup, evictions: Evictions, sessions: Iterable[Session]
) -> Eviction | None:
    """Return the eviction after which a session has not been started again."""
    event = evictions.get(group.key)
    if event is None or not _is_last(event, group, session):
        return None
    taken = event.metadata.annotations
    namespace, name = taken.get(_NAMESPACE, ""), owner_of(taken.get(_NAME, ""))
    taker = next(
        (s for s in sessions if (s.spec.project, object_name(s)) == (namespace, name)), None
    )
    moved = taken.get(_ACTION) == "consolidation"
    reclaim = Reclaim(
        at=_at(event),
        session=taker.id if taker else "",
        name=taker.spec.name if taker else name.removeprefix(PREFIX),
        project=namespace,
        run=taker.run if taker else -1,
        moved=moved,
    )
    own = session.spec.project
    who = mention([taker], own) if taker else f"{namespace}/1"
    if moved:
        why = reason("Moved", "reclaim.moved", raw=event.message, session=who)
    elif taken.get(_ACTION) == "preempt" or namespace == own:
        why = reason("Reclaimed", "reclaim.priority", raw=event.message, session=who)
    else:
        why = reason("Reclaimed", "reclaim.borrowed", raw=event.message, session=who, project=own)
    return Eviction(reclaim, why)


def _is_last(event: Event, group: PodGroup, session: Session) -> bool:
    """Return whether a workload has not started since an eviction, by KAI's clock if it tells."""
    stamps = group.metadata.annotations
    gone, began = _time(stamps.get(_EVICTED, "")), _time(stamps.get(_STARTED, ""))
    if gone and began:
        return gone > began
    return session.started is None or _at(event) >= session.started.replace(microsecond=0)


def _at(event: Event) -> datetime:
    found = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return found or datetime.min.replace(tzinfo=UTC)


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(frozen=True)
class KaiState:
    """KAI's objects at one moment, by what they are looked up by."""

    queues: Mapping[str, ProjectQueue]
    groups: Mapping[tuple[str, str], PodGroup]
    pods: Sequence[Pod]
    evictions: Evictions

    @cached_property
    def of_session(self) -> Mapping[tuple[str, str], Pod]:
        """The newest pod of each session that is not being deleted, by namespace and id."""
        found: dict[tuple[str, str], Pod] = {}
        for pod in self.pods:
            meta = pod.metadata
            if SESSION in meta.labels and meta.deletion_timestamp is None:
                key = meta.namespace, meta.labels[SESSION]
                if key not in found or _made(found[key]) <= _made(pod):
                    found[key] = pod
        return found

    @cached_property
    def of_owner(self) -> Mapping[tuple[str, str], PodGroup]:
        """The newest PodGroup of each workload, by its namespace and name."""
        made = sorted(self.groups.values(), key=_made)
        return {(g.metadata.namespace, _owner(g)): g for g in made}


class KaiView:
    """KAI's objects as last seen; what is computed from them is kept until one changes."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        caches = around.caches
        self._queues = caches.cache(QUEUES)
        self._groups = caches.cache(POD_GROUPS)
        self._namespaces = caches.cache(NAMESPACES)
        self._pods = caches.cache(PODS)
        self._events = caches.cache(EVENTS)
        self._classes = caches.cache(PRIORITY_CLASSES)
        self._projects: Known[KaiProject] | None = None
        self._changed: Callable[[], None] = lambda: None
        self._seen = Derived(self._read)
        self._numbers: tuple[tuple[Session, ...], Numbers] | None = None

    def subscribe(self, changed: Callable[[], None]) -> list[Callable[[], None]]:
        """Call a function after each change; return what ends this."""
        self._changed = changed
        kinds: tuple[Known[Any], ...] = (
            self._queues,
            self._groups,
            self._namespaces,
            self._pods,
        )
        forgetting = [kind.subscribe(self._forget) for kind in kinds]
        return [*forgetting, self._events.subscribe(self._hear)]

    def follow_projects(self) -> Callable[[], None]:
        """Read KAI's Projects, too, which are installed here; return what ends this."""
        self._projects = self._around.caches.cache(KAI_PROJECTS)
        return self._projects.subscribe(self._forget)

    @property
    def state(self) -> KaiState:
        """The objects."""
        return self._seen.value

    def class_of(self, kind: Kind) -> str:
        """Return the name of the priority class for a kind of session."""
        return self._around.settings.priorities.get(kind, CLASSES[kind])

    def missing_classes(self) -> Iterator[str]:
        """Yield which classes of sessions the cluster lacks; none where they may not be read."""
        known = {each.metadata.name for each in self._classes.values()}
        for kind in KINDS if known else ():
            if self.class_of(kind) not in known:
                yield (
                    f"PriorityClass {self.class_of(kind)} of {kind} sessions is missing: KAI "
                    "Scheduler gives them the priority of train. Create it, or name another one in "
                    "KubernetesConfig.priority_classes."
                )

    def projects(self) -> list[Project]:
        """Return the projects."""
        capacity = self._around.capacity()
        return [each.project(capacity) for each in self.state.queues.values()]

    def numbers(self) -> Numbers:
        """Return what our own scheduler finds in the present state."""
        sessions = tuple(self._around.sessions())
        if self._numbers is None or self._numbers[0] is not sessions:
            self._numbers = sessions, Numbers(self.snapshot(), partial(after, CYCLE))
        return self._numbers[1]

    def snapshot(self) -> ClusterSnapshot:
        """Return the present state as our own scheduler reads it."""
        queues = self.state.queues
        of_queues = {queues[each.name].name: each for each in self.projects()}
        seen = Seen(
            projects=of_queues,
            cluster=self._around.cluster(),
            pods=self.state.pods,
            groups=self.state.groups,
            sessions=tuple(self._around.sessions()),
            now=datetime.now(UTC),
        )
        return snapshot_of(seen)

    def pod(self, session: Session) -> Pod | None:
        """Return the newest pod of a session."""
        return self.state.of_session.get((session.spec.project, session.id))

    def group(self, session: Session) -> PodGroup | None:
        """Return the PodGroup of a session: that of its pod, or else of its workload."""
        pod, project = self.pod(session), session.spec.project
        name = pod.metadata.annotations.get(GROUP_NAME, "") if pod else ""
        by_name = self.state.groups.get((project, name))
        return by_name or self.state.of_owner.get((project, object_name(session)))

    def _read(self) -> KaiState:
        listed = self._namespaces.values()
        named = self._around.namespaces or (() if listed else visible(self._around.api, ()))
        projects = self._projects.values() if self._projects else ()
        wanted = set(self._around.namespaces)
        found = find_queues(self._queues.values(), listed, projects, named)
        return KaiState(
            queues={name: each for name, each in found.items() if not wanted or name in wanted},
            groups={group.key: group for group in self._groups.values()},
            pods=tuple(self._pods.values()),
            evictions=evictions_of(self._events.values()),
        )

    def _hear(self, keys: frozenset[tuple[str, str]]) -> None:
        """Forget only after an eviction: KAI repeats other events of each pod every second."""
        if any(event and is_eviction(event) for event in (self._events.get(*key) for key in keys)):
            self._forget(keys)

    def _forget(self, _: object) -> None:
        self._seen.outdate()
        self._numbers = None
        self._changed()


def _made(found: Pod | PodGroup) -> float:
    made = found.metadata.creation_timestamp
    return made.timestamp() if made else 0.0


def _owner(group: PodGroup) -> str:
    owners = group.metadata.owner_references
    return owners[0].name if owners else owner_of(group.metadata.name)
