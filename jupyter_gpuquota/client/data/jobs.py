"""Jobs: long operations on data."""

from __future__ import annotations

from ...model.datasets.jobs import Job, JobList, JobQuery
from ..listing import Listing, Table
from ..namespace import Namespace

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
