"""The port `Jobs`."""

from __future__ import annotations

from msgspec.structs import replace

from ...errors import Conflict, FieldError, NotAllowed, NotFound, refused
from ...model.datasets.jobs import Job, JobReport
from ...model.datasets.versions import SHOWN, Version
from ...store.spawn import new_id
from .job_board import JobBoard, JobStore
from .keeper import Keeper
from .launching import Launcher, Order
from .registry import Registry


class DataJobs:
    """The jobs on data: those of members' processes, and those that the controller starts."""

    def __init__(
        self,
        store: JobStore,
        board: JobBoard,
        keeper: Keeper,
        registry: Registry,
        launcher: Launcher,
    ) -> None:
        self._store = store
        self._board = board
        self._keeper = keeper
        self._registry = registry
        self._launcher = launcher

    def all(self) -> tuple[Job, ...]:
        """Return active jobs and the last ones that have ended, newest first."""
        return self._store.all()

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what the process of a job reports, and return the job with what it shall do.

        Raises NotFound for a fetch of a version that the controller does not know.
        """
        if report.kind == "cache":
            report = self._sized(report)
        return await self._board.report(job, report, user)

    async def cancel(self, job: str) -> Job:
        """Ask a job to end. Raises NotFound, WrongState."""
        return self._board.cancel(job)

    async def verify(self, version: Version, user: str, *, lake: bool, cache: bool) -> Job:
        """Start to hash a version again: in its lake, and its copy where it is cached.

        Raises NotAllowed for a member's own lake, Conflict where nothing of it can be verified.
        """
        name = f"{version.dataset}@{version.id[:SHOWN]}"
        copy = self._keeper.find(version.dataset, version.id)
        cached = cache and copy is not None and copy.state in {"cached", "damaged"}
        found = self._registry.place(version.dataset).lake
        if lake and found is None:
            raise NotAllowed(
                f"{version.dataset} is in a member's own lake, which the controller does not open.",
                hint=f"Verify its copy only, or all in a shell: jupyter gpu data verify {name}.",
            )
        if not lake and not cached:
            raise Conflict(f"{name} is not cached.", hint="Cache it first, or verify its lake.")
        order = Order(
            kind="verify",
            id=new_id(),
            user=user,
            # The lake is also what damaged files of the copy are fetched from.
            lake=found,
            only="" if lake else "cache",
            cache=cached,
            dataset=version.dataset,
            version=version.id,
        )
        return await self._start(order)

    async def collect(self, lake: str, user: str, grace: int) -> Job:
        """Start to remove what no version of a lake needs. Raises NotFound, Conflict."""
        found = next((each for each in self._registry.lakes() if each.name == lake), None)
        if found is None:
            raise NotFound(f"There is no lake {lake!r}.", hint="jupyter gpu data lakes lists them.")
        if grace < 0:
            raise refused(FieldError("grace", "It must not be negative."))
        order = Order(kind="gc", id=new_id(), user=user, lake=found, grace=grace)
        return await self._start(order)

    def _sized(self, report: JobReport) -> JobReport:
        """Return the report of a fetch with the version's size, which is planned with."""
        commit = self._registry.place(report.dataset).content.versions.get(report.version)
        if commit is None:
            raise NotFound(
                f"{report.dataset} has no version {report.version!r}.",
                hint=f"jupyter gpu data versions {report.dataset} lists them.",
            )
        return replace(report, size=commit.stats.bytes, all_files=commit.stats.files)

    async def _start(self, order: Order) -> Job:
        job = await self._board.start(order.job_report(), order.id, order.user)
        await self._launcher.start(order)
        return job
