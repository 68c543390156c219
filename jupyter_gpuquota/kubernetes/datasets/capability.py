"""The cached datasets of a cluster: the parts that work on claims, put together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...core.datasets.eviction import RulesOf
from ...errors import GpuQuotaError, NotFound
from ...model.datasets.caches import CachedVersion
from ...model.datasets.datasets import Dataset, Lake
from ...model.datasets.versions import Version
from ...model.reasons import Reason
from ...model.sessions import Session
from ...ports.datasets import Datasets
from ..api import Api
from ..builders.helper_pod import DataJobSettings
from ..watching.watches import Watches
from .caches import ClaimCaches
from .jobs import DataJobs
from .project_caches import ProjectCache, ProjectCaches
from .reporting import Registry, Reports
from .session_data import SessionData
from .task import DataJobObjects, Task
from .upkeep import Upkeep
from .work import Work, new_task

_TEND = 2.0
"""Seconds between two looks at what sessions wait for."""
_KEEP = 60.0
"""Seconds between two looks at what time brings."""
_FIRST = 5.0
"""Seconds after which caches are looked at that no Job has said anything of."""
_NO_CLAIM = 300.0
"""Seconds after which a namespace without a claim is looked at again."""


@dataclass(frozen=True)
class Around:
    """What the cached datasets of a cluster need of the rest of the controller.

    `datasets`, `projects` and `sessions` return what there is, `wake` looks at a session soon.
    `rules` are those for cached versions. `changed` is called after every change of what is cached.
    """

    datasets: Callable[[], Datasets]
    registry: Registry
    projects: Callable[[], Iterable[str]]
    sessions: Callable[[], Iterable[Session]]
    wake: Callable[[str], None]
    rules: RulesOf
    changed: Callable[[], None]


class ClusterDatasets:
    """The caches on the claims of a cluster, from `open` to `close`. It runs in the event loop.

    `claim` names the claims, and `shared` the namespace of the Jobs if all projects share a cache.
    """

    def __init__(
        self,
        api: Api,
        watches: Watches,
        settings: DataJobSettings,
        claim: str,
        shared: str,
        around: Around,
    ) -> None:
        self._around = around
        self.projects = ProjectCaches(
            api, claim, shared, lambda namespace, copy: self._data.leases(namespace, copy)
        )
        self._data = SessionData(self.projects, around.sessions, around.wake)
        reports = Reports(around.registry, self.projects.at, self._changed, self._over)
        self._jobs = DataJobs(api, DataJobObjects(watches), settings, reports)
        self.work = Work(self._jobs, reports)
        self.caches = ClaimCaches(self.projects, self.work, self.lake_of)
        self._upkeep = Upkeep(self.projects, self.work, around.rules, self._verify)
        # The logs of Jobs that have ended say what is cached; they are read first.
        self._due = {"keep": time.monotonic() + _FIRST}
        self._trouble: dict[str, str] = {}

    async def open(self) -> None:
        """Open the caches that there are, and follow the Jobs that work on them."""
        await self._open_caches()
        self._jobs.open()

    async def close(self) -> None:
        """Stop; Jobs go on."""
        await self.work.close()
        await self._jobs.close()

    def why(self, session: Session) -> Reason | None:
        """Return why a dataset of a session is not there, None if all are."""
        return self._data.why(session)

    def lakes(self) -> tuple[Lake, ...]:
        """Return the lakes of admins."""
        return self._around.datasets().lakes()

    async def cache_of(self, project: str) -> ProjectCache:
        """Return the cache of a project. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        return await self.projects.open(self.projects.namespace_of(project))

    async def start(self, cache: ProjectCache, task: Task) -> None:
        """Start the Job of a task. Raises NotAllowed, Unavailable, Conflict."""
        lake = next((each for each in self.lakes() if each.name == task.lake), None)
        if task.dataset:
            _, lake = self.lake_of(task.dataset)
        await self.work.start(cache, task, lake)

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for administrators."""
        return tuple(self._trouble[namespace] for namespace in sorted(self._trouble))

    async def step(self) -> None:
        """Do what is due; called several times a second."""
        if self._is_due("tend", _TEND):
            await self._data.tend(self.caches, self.work, self._version_of)
        if self._is_due("open", _NO_CLAIM):
            await self._open_caches()
        if self._is_due("keep", _KEEP):
            await self._upkeep.step()

    async def _open_caches(self) -> None:
        """Open the caches of new projects, and read those of which nothing is known."""
        projects = self._around.projects() if self.projects.claim else ()
        namespaces = {self.projects.namespace_of(name) for name in projects}
        for namespace in sorted(namespaces):
            try:
                await self.projects.open(namespace)
            except GpuQuotaError as error:
                self._trouble[namespace] = error.message
                continue
            self._trouble.pop(namespace, None)

    def _is_due(self, what: str, seconds: float) -> bool:
        """Return whether something is due, at once at first, and then again after a time."""
        now = time.monotonic()
        if now < self._due.get(what, now):
            return False
        self._due[what] = now + seconds
        return True

    def lake_of(self, name: str) -> tuple[Dataset, Lake | None]:
        """Return a dataset and its lake, None for a member's own. Raises NotFound."""
        datasets = self._around.datasets()
        dataset = next((each for each in datasets.all() if each.name == name), None)
        if dataset is None:
            raise NotFound(f"Dataset {name!r} not found.")
        lakes = () if dataset.own_lake else self.lakes()
        return dataset, next((lake for lake in lakes if lake.name == dataset.lake), None)

    async def _version_of(self, dataset: str, version: str) -> Version:
        for each in await self._around.datasets().versions(dataset):
            if each.id == version:
                return each
        raise NotFound(f"{dataset} has no version {version}.", hint="It may have been removed.")

    async def _verify(self, cache: ProjectCache, copy: CachedVersion) -> None:
        version = await self._version_of(copy.dataset, copy.version)
        await self.start(cache, new_task("verify", "", version, only="cache"))

    def _over(self, task: Task, error: GpuQuotaError | None) -> None:
        self.work.over(task, error)
        self._data.over(task, error)

    def _changed(self) -> None:
        self._data.changed()
        self._around.changed()
