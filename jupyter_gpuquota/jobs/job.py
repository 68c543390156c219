"""One job: what its verb uses of the process that it runs in, and to whom it reports."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from ..client.connection.context import Context
from ..errors import Damaged, FieldError, GpuQuotaError, NotFound, refused
from ..model.datasets import jobs
from ..model.datasets.caches import CacheList
from ..model.datasets.datasets import Dataset, Lake, LakeList
from ..model.datasets.jobs import JobReport, JobState
from ..model.datasets.lines import CacheIndex, JobLine
from ..model.datasets.versions import Version, VersionReport
from ..model.struct import problem_of
from ..store.progress import Progress

_TIMEOUT = 30.0
"""Seconds to wait for an answer to a report."""
_UPLOAD = 600.0
"""Seconds to wait until a manifest of a million files was received."""
P = ParamSpec("P")
T = TypeVar("T")

_NAMED = 1000
"""Damaged paths that a report has at most."""
_SHOWN = 3


class Reporter(Protocol):
    """Where a job reports. All methods block, and are called from one thread."""

    def report(self, report: JobReport) -> jobs.Job | None:
        """Report how far the job is, and return what it shall do; None lets it go on.

        Raises Unavailable if nobody answers now, other errors if the job may not go on.
        """

    def lake(self, dataset: str) -> Lake:
        """Return the lake of a dataset: without a name if it is a member's own. Raises NotFound."""

    def cache(self) -> str:
        """Return the root of the cache on this machine, empty where it is elsewhere."""

    def commit(self, dataset: str, version: str, commit: VersionReport) -> None:
        """Report that a version is in the lake. Raises as `report`."""

    def index(self, index: CacheIndex) -> None:
        """Report what the cache holds after the job."""


class ControllerReporter:
    """Reports to the controller over REST."""

    def __init__(self, job: str, context: Context) -> None:
        self._job = job
        self._context = context
        self._version: Version | None = None

    def report(self, report: JobReport) -> jobs.Job | None:
        """Return the job as the controller sees it."""
        if report.kind == "cache" and report.state == "waiting":
            # There must be room for it before it begins.
            report = replace(report, size=self._wanted(report).size)
        answer: jobs.Job = self._context.call(
            "jobs.report", {"job": self._job}, body=report, timeout=_TIMEOUT
        )
        return answer

    def _wanted(self, report: JobReport) -> Version:
        """Return the version that a job fetches."""
        if self._version is None:
            names = {"dataset": report.dataset, "version": report.version}
            self._version = self._context.call("versions.get", names)
        return self._version

    def lake(self, dataset: str) -> Lake:
        """Return the lake that the controller has recorded."""
        found: Dataset = self._context.call("datasets.get", {"dataset": dataset})
        if found.own_lake:
            return Lake(name="", url=found.lake)
        listed: LakeList = self._context.call("lakes.list")
        for lake in listed.items:
            if lake.name == found.lake:
                return lake
        raise NotFound(
            f"You may not use {found.lake}, the lake of {dataset}.", hint="Ask an administrator."
        )

    def cache(self) -> str:
        """Return the root of the controller's cache."""
        found: CacheList = self._context.call("caches.list")
        return found.folder

    def commit(self, dataset: str, version: str, commit: VersionReport) -> None:
        """Let the controller note the version."""
        names = {"dataset": dataset, "version": version}
        self._context.call("versions.put", names, body=commit, timeout=_UPLOAD)

    def index(self, index: CacheIndex) -> None:
        """Do nothing: the controller reads the cache itself."""


class LinesReporter:
    """Prints lines of JSON on standard output: see `JobLine`."""

    def __init__(self, job: str) -> None:
        self._job = job
        self._commit: VersionReport | None = None
        self._index: CacheIndex | None = None

    def report(self, report: JobReport) -> jobs.Job | None:
        """Print a line; the job goes on."""
        last = report.state not in {"waiting", "running"}
        line = JobLine(
            job=self._job,
            report=report,
            commit=self._commit if last else None,
            index=self._index if last else None,
        )
        sys.stdout.write(f"{msgspec.json.encode(line).decode()}\n")
        sys.stdout.flush()
        return None

    def lake(self, dataset: str) -> Lake:
        """Raise InvalidFields: whoever reads lines names the lake."""
        raise refused(FieldError("lake", "Name the URL of the lake.", "Use --lake."))

    def cache(self) -> str:
        """Return that no cache is known."""
        return ""

    def commit(self, dataset: str, version: str, commit: VersionReport) -> None:
        """Keep the version for the last line."""
        self._commit = commit

    def index(self, index: CacheIndex) -> None:
        """Keep the index for the last line."""
        self._index = index


class Stopped(Exception):
    """The job is cancelled; raised in threads, where it ends their work."""


class Job:
    """One job: its id, whether it goes on, and what is reported of it.

    `turn` is set once it may begin, `stopped` once it is cancelled, and `refused` is why it may not
    go on.
    """

    def __init__(self, id_: str, first: JobReport, reporter: Reporter) -> None:
        self.id = id_
        self.reporter = reporter
        self.turn = asyncio.Event()
        self.stopped = False
        self.refused: GpuQuotaError | None = None
        self._report = first
        self._progress = Progress()
        # A thread of its own: a report does not wait for the work.
        self._thread = ThreadPoolExecutor(1)

    def progress(self, progress: Progress) -> None:
        """Note how far the job is. Raises Stopped once it is cancelled."""
        self._progress = progress
        if self.stopped:
            raise Stopped

    def note(self, **facts: Any) -> None:
        """Note facts for the reports: fields of `JobReport`."""
        self._report = replace(self._report, **facts)

    def damaged(self, paths: Sequence[str], where: str, hint: str) -> Damaged:
        """Return the error of damaged paths, which the last report will name."""
        self.note(findings=(*self._report.findings, *paths)[:_NAMED])
        some = ", ".join(paths[:_SHOWN]) + (", …" if len(paths) > _SHOWN else "")
        count = f"{len(paths)} damaged paths" if len(paths) > 1 else "1 damaged path"
        return Damaged(f"{count} in {where}: {some}.", hint=hint)

    def report(self, state: JobState, error: GpuQuotaError | None = None) -> JobReport:
        """Return the report of this moment."""
        found = self._progress
        return replace(
            self._report,
            state=state,
            files=found.files,
            all_files=found.all_files,
            done=found.bytes,
            size=found.all_bytes,
            moved=found.moved,
            problem=problem_of(error) if error else None,
        )

    async def tell(self, function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Return what a method of the reporter returns; it is called in the reporter's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: function(*args, **named))
