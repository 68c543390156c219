"""Jobs of this account: their list, and following one to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread

from ...errors import Conflict, GpuQuotaError, NotFound, WrongState
from ...model.datasets.jobs import Job, JobList, JobQuery
from ...model.struct import error_of
from ..connection.context import Context
from ..connection.jobs import JobProcess
from ..listing import Listing, Table
from ..namespace import Namespace
from .processes import early_end

Progress = Callable[[Job], None]
"""Is called with a job again and again, until it has ended."""

AGAIN = 0.3
"""Seconds between two looks at a job."""
_PATIENCE = 60.0
"""Seconds in which a controller that was restarted hears of a running job."""
JOBS = Table[Job](
    columns={
        "id": lambda each: each.id,
        "kind": lambda each: each.kind,
        "dataset": lambda each: each.dataset,
        "version": lambda each: each.version,
        "state": lambda each: each.state,
        "user": lambda each: each.user,
        "files": lambda each: each.files,
        "all_files": lambda each: each.all_files,
        "done": lambda each: each.done,
        "size": lambda each: each.size,
        "moved": lambda each: each.moved,
        "rate": lambda each: each.rate,
        "left": lambda each: each.left,
        "started": lambda each: each.started,
        "updated": lambda each: each.updated,
        "folder": lambda each: each.folder,
        "host": lambda each: each.host,
        "pid": lambda each: each.pid,
        "reason": lambda each: each.reason,
        "problem": lambda each: each.problem.message if each.problem else "",
        "findings": lambda each: list(each.findings),
    },
    shown=("id", "kind", "dataset", "state", "done", "size", "started", "pid"),
    empty="No jobs.",
)
"""Sizes are in bytes, `rate` in bytes a second, `left` in seconds."""


def begun(context: Context, process: JobProcess) -> Job:
    """Return a job once its process has reported it, and let the process go on alone.

    Raises the error of a process that ended before.
    """
    job = next(_looks(context, process.id, process))
    # A thread waits for its end: in a kernel, which lives long, it would stay as a zombie.
    Thread(target=process.exit_code, args=(None,), daemon=True).start()
    return job


def finished(
    context: Context,
    job: str,
    progress: Progress | None = None,
    process: JobProcess | None = None,
) -> Job:
    """Return a job once it is done. An interrupt cancels it, and is raised when it has ended.

    A verification that has found damage is done, too. Raises the job's error, and Conflict if it
    was cancelled or its process died.
    """
    show = progress or (lambda _: None)
    try:
        last = _last(_looks(context, job, process), show)
    except KeyboardInterrupt:
        with suppress(NotFound, WrongState):
            context.call("jobs.cancel", {"job": job})
        with suppress(GpuQuotaError):
            _last(_looks(context, job, process), show)
        raise
    if last.state != "done" and not (last.kind == "verify" and last.findings):
        raise failure_of(last)
    return last


def failure_of(job: Job) -> GpuQuotaError:
    """Return the error of a job that has ended without success."""
    what = f"The {job.kind} of {job.dataset}" if job.dataset else f"The {job.kind}"
    if job.problem:
        return error_of(job.problem)
    if job.state == "cancelled":
        return Conflict(f"{what} was cancelled.", hint="What is there already is kept for a while.")
    if job.state == "lost":
        return Conflict(
            f"{what} no longer reports: its process has died, or its machine.",
            hint="Run it again: it goes on where it was.",
        )
    return Conflict(f"{what} is {job.state}.", hint="See `jupyter gpu data jobs`.")


def _last(jobs: Iterator[Job], show: Progress) -> Job:
    for job in jobs:
        show(job)
    return job


def _looks(context: Context, job: str, process: JobProcess | None) -> Iterator[Job]:
    """Iterate over looks at a job, to its end."""
    missing = 0.0
    while True:
        code = process.exit_code() if process else None
        try:
            found: Job = context.call("jobs.get", {"job": job})
        except NotFound:
            if process and code is not None:
                raise early_end(code, process.said()) from None
            if missing > _PATIENCE:
                raise
            missing += AGAIN
        else:
            missing = 0.0
            yield found
            if not found.active:
                return
        context.pause(AGAIN)


class Jobs(Namespace):
    """The jobs that work on data."""

    def jobs(self, name: str = "", *, active: bool = False) -> Listing[Job, JobList]:
        """List jobs: active ones and those that have ended, newest first.

        `name` lists only those of a dataset, `active` those that wait or run.
        """
        query = JobQuery(dataset=name, active=active)
        answer: JobList = self._context.call("jobs.list", query=query)
        return Listing(answer, answer.items, JOBS)

    def job(self, job: str) -> Job:
        """Return one job. Raises NotFound."""
        found: Job = self._context.call("jobs.get", {"job": job})
        return found

    def cancel(self, job: str) -> Job:
        """Ask a job to end. Raises NotFound, WrongState for one that has ended."""
        found: Job = self._context.call("jobs.cancel", {"job": job})
        return found
