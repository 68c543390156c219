"""The datasets of sessions: fetched before they start, and kept while they are in use."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass

from ...control.resident import INACTIVE
from ...errors import GpuQuotaError
from ...model.datasets.caches import Lease
from ...model.datasets.mounts import DataMount
from ...model.datasets.versions import Version
from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.sessions import Session
from .caches import ClaimCaches
from .marks import Copy
from .project_caches import ProjectCaches
from .task import Task
from .work import Work, named

_log = logging.getLogger(__name__)

_PAUSES = (5.0, 30.0, 120.0, 600.0)
"""Seconds until a fetch that failed is tried again."""

VersionOf = Callable[[str, str], Awaitable[Version]]
"""Returns a version by the names of its dataset and its id. Raises NotFound, Unavailable."""

Wanted = tuple[str, Copy]
"""A version in the cache of a namespace."""


@dataclass
class _Failure:
    """Why a version could not be fetched, how often, and when it is tried again."""

    message: str
    times: int
    again: float


class SessionData:
    """What sessions need of the caches; `sessions` returns all, `wake` looks at one soon."""

    def __init__(
        self,
        projects: ProjectCaches,
        sessions: Callable[[], Iterable[Session]],
        wake: Callable[[str], None],
    ) -> None:
        self._projects = projects
        self._sessions = sessions
        self._wake = wake
        self._failures: dict[Wanted, _Failure] = {}
        self._begun: dict[Wanted, str] = {}
        self._missing: dict[str, Reason] = {}

    def leases(self, namespace: str, copy: Copy) -> tuple[Lease, ...]:
        """Return the sessions that use a version from the cache in a namespace, or are to."""
        return tuple(
            Lease(
                session=session.id,
                name=session.spec.name,
                project=session.spec.project,
                since=session.since,
            )
            for session in self._sessions()
            if session.state not in INACTIVE and (namespace, copy) in self._wants(session)
        )

    def why(self, session: Session) -> Reason | None:
        """Return why a version that a session uses is not there, None if all are."""
        found = (self._why(wanted) for wanted in self._wants(session))
        return next((why for why in found if why), None)

    def changed(self) -> None:
        """Look at the sessions whose datasets have come, or have come further."""
        missing = {session.id: why for session in self._waiting() if (why := self.why(session))}
        before, self._missing = self._missing, missing
        for session in before.keys() | missing.keys():
            if before.get(session) != missing.get(session):
                self._wake(session)

    def over(self, task: Task, error: GpuQuotaError | None) -> None:
        """Take note that a task has ended."""
        for wanted, job in list(self._begun.items()):
            if job == task.id:
                del self._begun[wanted]
                if error:
                    self._failed(wanted, error.message)

    async def tend(self, caches: ClaimCaches, work: Work, version_of: VersionOf) -> None:
        """Fetch what sessions wait for; cancel what nobody waits for any more."""
        needed: dict[Wanted, Session] = {}
        for session in self._waiting():
            for wanted in self._wants(session):
                needed.setdefault(wanted, session)
        for wanted, session in needed.items():
            if self._is_due(wanted):
                await self._fetch(wanted, session, caches, version_of)
        for wanted, job in list(self._begun.items()):
            if wanted not in needed:
                del self._begun[wanted]
                if not self._has(wanted):  # else its Job is about to end
                    await work.cancel(job)
        self._failures = {w: f for w, f in self._failures.items() if w in needed}
        self.changed()

    async def _fetch(
        self, wanted: Wanted, session: Session, caches: ClaimCaches, version_of: VersionOf
    ) -> None:
        namespace, (dataset, version) = wanted
        try:
            found = await version_of(dataset, version)
            answer = await caches.fetch_for(session.spec.project, found, session.owner)
        except GpuQuotaError as error:
            _log.info("%s@%s is not fetched to %s: %s", dataset, version, namespace, error)
            self._failed(wanted, error.message)
            return
        if answer.job:
            self._begun[wanted] = answer.job.id

    def _has(self, wanted: Wanted) -> bool:
        cache = self._projects.at(wanted[0])
        return cache is not None and cache.has(wanted[1])

    def _is_due(self, wanted: Wanted) -> bool:
        namespace, copy = wanted
        cache, failure = self._projects.at(namespace), self._failures.get(wanted)
        if cache and (cache.has(copy) or cache.fetch_of(copy)):
            return False
        return failure is None or time.monotonic() >= failure.again

    def _failed(self, wanted: Wanted, message: str) -> None:
        before = self._failures.get(wanted)
        times = before.times + 1 if before else 1
        pause = _PAUSES[min(times, len(_PAUSES)) - 1]
        self._failures[wanted] = _Failure(message, times, time.monotonic() + pause)

    def _why(self, wanted: Wanted) -> Reason | None:
        namespace, copy = wanted
        cache, name = self._projects.at(namespace), named(copy)
        if cache and cache.has(copy):
            return None
        fetch = cache.fetch_of(copy) if cache else None
        if fetch and fetch.done and fetch.size:
            done = min(fetch.done * 100 // fetch.size, 100)
            return reason("DataPending", "data.fetching", data=name, done=done)
        if failure := self._failures.get(wanted):
            return reason("DataPending", "data.failed", data=name, problem=failure.message)
        return reason("DataPending", "data.waiting", data=name)

    def _waiting(self) -> Iterator[Session]:
        return (each for each in self._sessions() if each.spec.data and each.state == "waiting")

    def _wants(self, session: Session) -> list[Wanted]:
        namespace = self._projects.namespace_of(session.spec.project)
        return [(namespace, _copy(mount)) for mount in session.spec.data]


def _copy(mount: DataMount) -> Copy:
    return mount.dataset, mount.version
