"""Jobs, and their progress as one line."""

from __future__ import annotations

from ....client.data.jobs import JOBS
from ....model.datasets.jobs import Job, JobList
from ....model.datasets.names import escaped
from ..markup import Markup, tag
from ..view import Column, NotedView, Row, TableView, View
from .formats import ago_text, count_text, left_text, short, size_text


class JobsView(TableView[JobList, Job]):
    """Jobs: active ones and those that have ended, newest first."""

    def __init__(self, data: JobList) -> None:
        super().__init__(data, data.items, JOBS, _COLUMNS, "Jobs")


class JobView(NotedView[Job]):
    """One job, as a line; `alone` shows its id only."""

    def __init__(self, data: Job, *, note: str = "", alone: bool = False) -> None:
        super().__init__(data, JOBS, note=data.id if alone else note or progress_text(data))


class VerifiedView(View[Job]):
    """What a verification has found; its exit code is 1 if something is damaged."""

    def __init__(self, data: Job, what: str) -> None:
        super().__init__(data, exit_code=1 if data.findings else 0)
        self._what = what

    @property
    def failure(self) -> str:
        """Return that paths are damaged."""
        end = "; replaced from the lake." if self.data.state == "done" else "."
        return f"{count_text(len(self.data.findings), 'damaged path')} in {self._what}{end}"

    @property
    def text(self) -> str:
        """Return the damaged paths, or that there are none."""
        if not self.data.findings:
            files = f" ({count_text(self.data.files, 'file')})" if self.data.files else ""
            return f"{self._what} is intact{files}."
        return "\n".join([*map(escaped, self.data.findings), self.failure])

    @property
    def body(self) -> Markup:
        """Return the same."""
        return tag("pre", self.text)

    @property
    def records(self) -> list[Row]:
        """Return a row for each damaged path."""
        return [{"path": path} for path in self.data.findings]


def progress_text(job: Job) -> str:
    """Return how far a job is: files, bytes, rate and the time that is left."""
    name = f"{job.kind} {job.dataset}".strip()
    if job.cancelling and job.active:
        return f"{name}: cancelling"
    if job.state == "waiting":
        return f"{name}: {job.reason.rstrip('.') or 'waiting'}"
    parts = [part for part in (_files(job), _bytes(job)) if part]
    if job.state == "running":
        parts += [f"{size_text(job.rate)}/s"] if job.rate else []
        parts += [f"{left_text(job.left)} left"] if job.left is not None else []
        return f"{name}: {', '.join(parts) or 'starting'}"
    return f"{name} {job.state}: {', '.join(parts)}" if parts else f"{name} {job.state}"


def _files(job: Job) -> str:
    if job.all_files:
        return f"{job.files:,} of {count_text(job.all_files, 'file')}"
    return count_text(job.files, "file") if job.files else ""


def _bytes(job: Job) -> str:
    if job.size:
        return f"{size_text(job.done)} of {size_text(job.size)}"
    return size_text(job.done) if job.done else ""


def _state(job: Job) -> str:
    if job.active and job.cancelling:
        return "cancelling"
    if job.state == "running" and job.size:
        return f"running {100 * job.done // job.size} %"
    return job.state


def _detail(job: Job) -> str:
    if job.problem:
        return job.problem.message
    return job.reason or escaped(job.folder)


_COLUMNS: list[Column[Job]] = [
    Column("JOB", lambda each: each.id, whole=True),
    Column("KIND", lambda each: each.kind),
    Column("DATASET", lambda each: each.dataset, whole=True),
    Column("VERSION", lambda each: short(each.version), whole=True),
    Column("STATE", _state),
    Column("FILES", _files),
    Column("BYTES", _bytes),
    Column("USER", lambda each: each.user),
    Column("STARTED", lambda each: ago_text(each.started)),
    Column("PID", lambda each: str(each.pid) if each.pid else ""),
    Column("DETAIL", _detail),
]
