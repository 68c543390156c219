"""The objects of sessions in the shared caches, by session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...model.sessions import Session
from ..api import Api
from ..labels import MANAGED_BY, MANAGER, MPI_LAUNCHERS, RECORD, SESSION, object_name
from ..objects.meta import Object
from ..objects.pods import Event, Pod
from ..objects.workloads import Workload
from ..resources import (
    EVENTS,
    JOB_SETS,
    JOBS,
    MPI_JOBS,
    PODS,
    STATEFUL_SETS,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    Resource,
)
from ..state.seen import Owners, present_pod
from ..watching.cache import Cache, Key
from ..watching.watches import Watches
from .kinds import Rights, WorkloadKinds

OURS = f"{MANAGED_BY}={MANAGER}"
"""Selects the objects of all sessions."""
_BETWEEN: Mapping[Resource[Any], tuple[Resource[Any], str]] = {
    MPI_JOBS: (JOBS, MPI_LAUNCHERS),
    TRAIN_JOBS: (JOB_SETS, OURS),
}
"""What workloads of a kind own that owns pods in turn, and the labels that select it.

The Job of a JobSet has our labels, too, and is found among all Jobs.
"""


class SessionObjects:
    """Workloads, pods and events of sessions, as watches show them."""

    def __init__(self, watches: Watches, runtime: str = "") -> None:
        workloads = (watches.cache(STATEFUL_SETS, OURS), watches.cache(JOBS, OURS))
        self._workloads: tuple[Cache[Any], ...] = workloads
        self._between: tuple[Cache[Any], ...] = (workloads[1],)
        self._watches = watches
        self._pods = watches.cache(PODS)
        self._events = watches.cache(EVENTS)
        self._session_of: dict[str, str] = {}
        self._uids: dict[tuple[int, Key], str] = {}
        self._by_uid: defaultdict[str, dict[Key, Event]] = defaultdict(dict)
        self._about: dict[Key, str] = {}
        self._changed: Callable[[str], None] = lambda _: None
        self.kinds = WorkloadKinds(runtime=runtime)
        for cache in (*self._workloads, self._pods):
            cache.subscribe(partial(self._moved, cache))
        self._events.subscribe(self._heard)

    async def discover(self, api: Api, rights: Rights) -> None:
        """Find which kinds of workloads a cluster has, and watch them, too. Raises Fault."""
        known = self.kinds.served
        await self.kinds.find(api, rights)
        for kind in self.kinds.served - known:
            jobs, between = self._watches.cache(kind, OURS), self._watches.cache(*_BETWEEN[kind])
            self._workloads, self._between = (*self._workloads, jobs), (*self._between, between)
            for cache in (jobs, between):
                cache.subscribe(partial(self._moved, cache))
        if TRAIN_JOBS in self.kinds.served and (name := self.kinds.runtime_name):
            self.kinds.runtime = partial(self._watches.cache(TRAINING_RUNTIMES).get, "", name)

    def subscribe(self, changed: Callable[[str], None]) -> None:
        """Call a function with the id of each session of which an object has changed."""
        self._changed = changed

    def workloads(self) -> Iterator[Workload]:
        """Yield the workloads of all sessions."""
        for cache in self._workloads:
            yield from (each for each in cache.values() if RECORD in each.metadata.annotations)

    def claiming(self, session_id: str) -> list[Workload]:
        """Return the workloads, of any namespace, whose label names a session."""
        found = (each for cache in self._workloads for each in cache.labelled(SESSION, session_id))
        return [each for each in found if RECORD in each.metadata.annotations]

    def workload(self, session: Session) -> Workload | None:
        """Return the workload of a session: labels alone prove nothing, anyone can set them."""
        key = (session.spec.project, object_name(session))
        return next((each for each in self.claiming(session.id) if each.key == key), None)

    def pods(self, session: Session) -> Sequence[Pod]:
        """Return all pods of a session."""
        found = self._pods.labelled(SESSION, session.id)
        return [pod for pod in found if pod.metadata.namespace == session.spec.project]

    def between(self, workload: Workload | None) -> Owners:
        """Return what a workload owns, itself or through such objects, that may own pods."""
        found: dict[str, Object] = {}
        above = {workload.metadata.uid} if workload else set()
        while above:
            owned = (
                each for uid in above for cache in self._between for each in cache.owned_by(uid)
            )
            below = {each.metadata.uid: each for each in owned}
            above = below.keys() - found.keys()
            found.update(below)
        return found

    def pod(self, session: Session, process: int = 0) -> Pod | None:
        """Return the newest pod of a session's process."""
        workload = self.workload(session)
        return present_pod(workload, self.pods(session), self.between(workload), process)

    def hides_pods(self, session: Session) -> bool:
        """Return whether the pods of a session may not be read; nothing is known of them then."""
        return self._watches.forbidden(PODS, namespace=session.spec.project)

    def hides_workload(self, session: Session) -> bool:
        """Return whether the workload of a session may not be read, of whatever kind it is."""
        project = session.spec.project
        kinds = self.kinds.possible_for(session.spec)
        return all(self._watches.forbidden(kind, OURS, namespace=project) for kind in kinds)

    def events(self, session: Session) -> Sequence[Event]:
        """Return the events of a session's workload, of its pods, and of what is between them."""
        workload = self.workload(session)
        between = self.between(workload).values()
        found: list[Object] = [*([workload] if workload else []), *between, *self.pods(session)]
        return [
            event for each in found for event in self._by_uid.get(each.metadata.uid, {}).values()
        ]

    def _moved(self, cache: Cache[Any], keys: frozenset[Key]) -> None:
        """Pass on which sessions have changed; a deleted object was of the session as before.

        Without keys only the connection has changed, as after rights were granted: for all of them.
        """
        touched = set() if keys else set(self._session_of.values())
        for key in keys:
            uid = self._uids.pop((id(cache), key), "")
            if uid:
                touched.add(self._session_of.pop(uid, ""))
            item = cache.get(*key)
            session = self._concerned(item) if item else ""
            if item and session:
                self._uids[id(cache), key] = item.metadata.uid
                self._session_of[item.metadata.uid] = session
                touched.add(session)
        for session in touched - {""}:
            self._changed(session)

    def _concerned(self, item: Object) -> str:
        """Return the id of the session to look at: that of a label, or of an owner."""
        owners = (self._session_of.get(each.uid, "") for each in item.metadata.owner_references)
        return item.metadata.labels.get(SESSION) or next(filter(None, owners), "")

    def _heard(self, keys: frozenset[Key]) -> None:
        """Index events by the object that they are about."""
        for key in keys:
            event = self._events.get(*key)
            uid = event.involved_object.uid if event else self._about.get(key, "")
            if event and uid:
                self._about[key] = uid
                self._by_uid[uid][key] = event
                if session := self._session_of.get(uid):
                    self._changed(session)
            elif uid:
                del self._about[key]
                self._by_uid[uid].pop(key, None)
                if not self._by_uid[uid]:
                    del self._by_uid[uid]
