"""Claims with cached versions on the fake API server, and Jobs that work on them when told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from jupyter_gpuquota.errors import GpuQuotaError, NotFound
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJobSettings
from jupyter_gpuquota.kubernetes.datasets.caches import ClaimCaches
from jupyter_gpuquota.kubernetes.datasets.jobs import DataJobs
from jupyter_gpuquota.kubernetes.datasets.marks import Copy
from jupyter_gpuquota.kubernetes.datasets.project_caches import ProjectCaches
from jupyter_gpuquota.kubernetes.datasets.reporting import Reports
from jupyter_gpuquota.kubernetes.datasets.task import DataJobObjects, Task, task_of
from jupyter_gpuquota.kubernetes.datasets.work import Work
from jupyter_gpuquota.kubernetes.objects.workloads import Job as KubeJob
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS, PODS
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.datasets.caches import CachedVersion, CacheRoom, Lease
from jupyter_gpuquota.model.datasets.datasets import Dataset, Lake
from jupyter_gpuquota.model.datasets.jobs import Job, JobReport
from jupyter_gpuquota.model.datasets.lines import CacheIndex, JobLine
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.struct import Problem
from tests.kubernetes.fake_api import FakeApi

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
TEAM, OTHER, CLAIM = "team-a", "team-b", "datasets"
GIB = 2**30
LAKE = Lake(name="main", url="s3://lake", credentials="lake-keys")
DATASETS = {
    "mnist": Dataset(name="mnist", lake="main", project=TEAM, owner="ana", created=NOW),
    "own": Dataset(
        name="own", lake="s3://x", own_lake=True, project=TEAM, owner="ana", created=NOW
    ),
}


def version(name: str = "mnist", digit: str = "a", size: int = GIB) -> Version:
    """Return a version of a dataset."""
    return Version(dataset=name, id=digit * 64, time=NOW, size=size, files=3)


def lake_of(name: str) -> tuple[Dataset, Lake | None]:
    """Return a dataset and its lake."""
    if name not in DATASETS:
        raise NotFound(f"Dataset {name!r} not found.")
    return DATASETS[name], None if DATASETS[name].own_lake else LAKE


def put_claim(
    api: FakeApi, namespace: str = TEAM, size: str = "10Gi", mode: str = "ReadWriteMany"
) -> None:
    """Create a claim that is bound."""
    meta = {"name": CLAIM, "namespace": namespace}
    status = {"phase": "Bound", "capacity": {"storage": size}}
    api.put(CLAIMS, {"metadata": meta, "spec": {"accessModes": [mode]}, "status": status})


class Registry:
    """The list of jobs that users see."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.states: list[tuple[str, str]] = []

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        self.states.append((report.kind, report.state))
        self.jobs[job] = Job(
            id=job,
            kind=report.kind,
            dataset=report.dataset,
            version=report.version,
            user=user,
            state=report.state,
            reason=report.reason,
            problem=report.problem,
            done=report.done,
            size=report.size,
            started=NOW,
            updated=NOW,
        )
        return self.jobs[job]

    def of(self, kind: str) -> list[Job]:
        """Return the jobs of a kind."""
        return [job for job in self.jobs.values() if job.kind == kind]


@dataclass
class Volumes:
    """What lies on the claims, and the programs of Jobs, which work at once."""

    api: FakeApi
    content: dict[str, dict[Copy, CachedVersion]] = field(default_factory=dict)
    problem: Problem | None = None
    held: set[str] = field(default_factory=set)
    """The verbs that do not end."""

    def put(self, each: Version, namespace: str = TEAM, used: datetime = NOW) -> None:
        """Let a version lie on a claim."""
        self.content.setdefault(namespace, {})[each.dataset, each.id] = CachedVersion(
            dataset=each.dataset,
            version=each.id,
            state="cached",
            size=each.size,
            files=each.files,
            used=used,
        )

    def has(self, each: Version, namespace: str = TEAM) -> bool:
        """Return whether a version lies on a claim."""
        return (each.dataset, each.id) in self.content.get(namespace, {})

    def works(self, verb: str) -> bool:
        """Return whether a Job with a verb runs."""
        found = (msgspec.convert(raw, KubeJob) for raw in self.api.all(JOBS))
        return any(task.verb == verb for task in map(task_of, found) if task)

    def round(self) -> None:
        """Let every Job do its work."""
        for raw in self.api.all(JOBS):
            task = task_of(msgspec.convert(raw, KubeJob))
            if task and not raw.get("status", {}).get("conditions"):
                self._run(raw, task)

    def _run(self, raw: dict[str, Any], task: Task) -> None:
        namespace = raw["metadata"]["namespace"]
        if task.verb in self.held:
            self._say(raw, task, "running", None, "Running", {"running": {}})
            return
        if not self.problem:
            self._work(namespace, task)
        state = "failed" if self.problem else "done"
        self._say(raw, task, state, self._index(namespace), "Succeeded", {"terminated": {}})
        kind = "Failed" if self.problem else "Complete"
        self.api.put(JOBS, {**raw, "status": {"conditions": [{"type": kind, "status": "True"}]}})

    def _work(self, namespace: str, task: Task) -> None:
        if task.verb == "cache":
            self.put(version(task.dataset, task.version[0], task.size), namespace)
        for copy in task.copies:
            self.content.get(namespace, {}).pop(copy, None)

    def _index(self, namespace: str) -> CacheIndex:
        found = tuple(self.content.get(namespace, {}).values())
        return CacheIndex(items=found, room=CacheRoom(capacity=100 * GIB, free=100 * GIB))

    def _say(
        self,
        raw: dict[str, Any],
        task: Task,
        said: Any,
        index: CacheIndex | None,
        phase: str,
        state: dict[str, Any],
    ) -> None:
        meta = raw["metadata"]
        done = task.size if said == "done" else task.size // 2
        report = JobReport(
            kind=task.verb, state=said, done=done, size=task.size, problem=self.problem
        )
        line = msgspec.json.encode(JobLine(job=task.id, report=report, index=index))
        name, namespace = f"{meta['name']}-x", meta["namespace"]
        path = f"/api/v1/namespaces/{namespace}/pods/{name}/log"
        stamp = datetime.now(UTC).isoformat().replace("+00:00", "Z").encode()
        self.api.controls.streams[path] = [stamp + b" " + line + b"\n"]
        owner = {"kind": "Job", "name": meta["name"], "uid": meta["uid"], "controller": True}
        self.api.put(
            PODS,
            {
                "metadata": {"name": name, "namespace": namespace, "ownerReferences": [owner]},
                "spec": {"nodeName": "n1", "containers": [{"name": "data", "image": "i:1"}]},
                "status": {
                    "phase": phase,
                    "containerStatuses": [{"name": "data", "state": state}],
                },
            },
        )


@dataclass
class Controller:
    """The parts of a controller that work on claims."""

    caches: ClaimCaches
    work: Work
    projects: ProjectCaches
    registry: Registry
    listeners: list[Any] = field(default_factory=list)
    """Told of the ends of tasks, too."""


@asynccontextmanager
async def controller(
    api: FakeApi, leases: dict[tuple[str, Copy], Lease] | None = None, shared: str = ""
) -> AsyncIterator[Controller]:
    """Run a controller; `leases` are of namespaces and versions."""
    watches = Watches(api)
    objects = DataJobObjects(watches)
    await watches.start()
    await watches.ready()
    known = leases or {}
    running: Controller | None = None

    def leases_in(namespace: str, copy: Copy) -> tuple[Lease, ...]:
        return (known[namespace, copy],) if (namespace, copy) in known else ()

    projects, registry = ProjectCaches(api, CLAIM, shared, leases_in), Registry()

    def over(task: Task, error: GpuQuotaError | None) -> None:
        for each in (work, *(running.listeners if running else ())):
            each.over(task, error)

    reports = Reports(registry, projects.at, lambda: None, over)
    jobs = DataJobs(api, objects, DataJobSettings(image="i:1"), reports)
    work = Work(jobs, reports)
    for namespace in (TEAM, OTHER):
        try:
            await projects.open(namespace)
        except GpuQuotaError:
            continue
    jobs.open()
    try:
        running = Controller(ClaimCaches(projects, work, lake_of), work, projects, registry)
        yield running
    finally:
        await work.close()
        await jobs.close()
        await watches.close()
