"""Datasets, cached versions and jobs in memory, for what uses these ports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from jupyter_gpuquota.errors import GpuQuotaError, InUse, NotFound, WrongState
from jupyter_gpuquota.model.datasets.caches import CacheAnswer, CachedVersion, CacheRoom, Lease
from jupyter_gpuquota.model.datasets.datasets import Dataset
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.datasets.versions import Version
from tests.builders import NOW

V1, V2 = "1" * 64, "2" * 64
SIZE = 1000


def make_version(number: str = V1, dataset: str = "faces", **fields: Any) -> Version:
    """Return a version."""
    return Version(dataset=dataset, id=number, time=NOW, size=SIZE, files=3, **fields)


def make_dataset(name: str = "faces", project: str = "team-a", **fields: Any) -> Dataset:
    """Return a dataset."""
    defaults: dict[str, Any] = {"lake": "main", "owner": "me", "created": NOW}
    return Dataset(name=name, project=project, **{**defaults, **fields})


class FakeDatasets:
    """Datasets with versions, newest first."""

    def __init__(self, *versions: Version, datasets: tuple[Dataset, ...] = ()) -> None:
        self.items = datasets or (make_dataset(),)
        self.known = list(versions or (make_version(V2), make_version(V1, tags=("good",))))

    def all(self) -> tuple[Dataset, ...]:
        """Return the datasets."""
        return self.items

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        """Return the versions of a dataset."""
        return tuple(each for each in self.known if each.dataset == dataset)


class FakeJobs:
    """Jobs; a cancelled one ends at once."""

    def __init__(self) -> None:
        self.items: list[Job] = []
        self.cancelled: list[str] = []

    def all(self) -> tuple[Job, ...]:
        """Return the jobs."""
        return tuple(self.items)

    def change(self, job: str, **fields: Any) -> None:
        """Change a job."""
        self.items = [replace(one, **fields) if one.id == job else one for one in self.items]

    async def cancel(self, job: str) -> Job:
        """Cancel a job. Raises NotFound, WrongState."""
        found = next((one for one in self.items if one.id == job), None)
        if found is None:
            raise NotFound(f"Job {job} not found.")
        if not found.active:
            raise WrongState(f"The job {job} has ended.")
        self.change(job, state="cancelled")
        self.cancelled.append(job)
        return found


class FakeCaches:
    """A cache whose fetches go as far as a test says. `refuses` is raised by the next fetches."""

    def __init__(self, jobs: FakeJobs, leases: Callable[[], dict[Any, tuple[Lease, ...]]]) -> None:
        self.jobs = jobs
        self.copies: dict[tuple[str, str], CachedVersion] = {}
        self.refuses: GpuQuotaError | None = None
        self.asked: list[tuple[str, str]] = []
        self._leases = leases

    def all(self) -> tuple[CachedVersion, ...]:
        """Return the cached versions."""
        leases = self._leases()
        return tuple(replace(copy, leases=leases.get(key, ())) for key, copy in self.copies.items())

    def room(self) -> CacheRoom:
        """Return how full it is."""
        return CacheRoom(capacity=10 * SIZE)

    def put(
        self,
        version: str = V1,
        state: Any = "cached",
        done: int = SIZE,
        dataset: str = "faces",
    ) -> None:
        """Let a version be there, or come."""
        self.copies[dataset, version] = CachedVersion(
            dataset=dataset, version=version, state=state, size=SIZE, files=3, done=done, used=NOW
        )

    def finish(self, version: str = V1) -> None:
        """End the fetch of a version."""
        self.put(version)
        for job in self.jobs.all():
            if job.version == version and job.active:
                self.jobs.change(job.id, state="done")

    async def fetch(self, version: Version, user: str) -> CacheAnswer:
        """Start to fetch a version."""
        self.asked.append((version.id, user))
        if self.refuses:
            raise self.refuses
        copy = self.copies.get((version.dataset, version.id))
        if copy and copy.state != "fetching":
            return CacheAnswer(copy=copy)
        job = Job(
            id=f"job-{len(self.asked)}",
            kind="cache",
            dataset=version.dataset,
            version=version.id,
            user=user,
            state="running",
            started=NOW,
            updated=NOW,
            size=version.size,
        )
        self.jobs.items.insert(0, job)
        self.put(version.id, "fetching", 0, version.dataset)
        return CacheAnswer(copy=self.copies[version.dataset, version.id], job=job)

    async def clear(self, dataset: str, version: str) -> None:
        """Clear a copy. Raises InUse."""
        if self._leases().get((dataset, version)):
            raise InUse("It is in use.")
        del self.copies[dataset, version]
