"""Decisions on jobs: what a report changes, whose turn it is, which jobs are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from ...errors import InUse
from ...model.datasets.jobs import Job, JobKind, JobReport

SILENCE = timedelta(seconds=60)
"""How long the process of a job may be silent."""
_GONE = timedelta(seconds=3)
"""How long a job is silent before its process is looked up."""
_WINDOW = timedelta(seconds=10)
"""The time over which a rate is measured."""
_MARKS = 40
KEPT = 200
"""Jobs that have ended and are still listed."""

ONE_AT_A_TIME: frozenset[JobKind] = frozenset({"sync", "import", "register"})
"""Jobs that add versions to a dataset: one at a time."""

Mark = tuple[datetime, int]
"""When how many bytes were done."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """One job as the controller knows it.

    `number` is that of its first report. `begun` tells its process from others with its pid.
    `asks`: it waits for an answer that lets it begin.
    """

    job: Job
    number: int
    begun: int = 0
    asks: bool = False
    marks: tuple[Mark, ...] = ()


Alive = Callable[[Known], bool]
"""Whether the process of a job runs; true where that cannot be found out."""


def begin(job: str, report: JobReport, user: str, number: int, now: datetime) -> Known:
    """Return a job that was not known before."""
    new = Job(id=job, kind=report.kind, user=user, started=now, updated=now)
    return Known(job=new, number=number)


def reported(known: Known, report: JobReport, now: datetime) -> Known:
    """Return a job after a report. One that was done, has failed or was cancelled stays so."""
    job = known.job
    if not job.active and job.state != "lost":
        return known
    marks = _marks(known.marks, report.done, now)
    rate = _rate(marks)
    asks = report.state == "waiting"
    running = job.state == "running" and job.active
    moved = replace(
        job,
        state="running" if asks and running else report.state,
        reason=report.reason or (job.reason if asks and not running else ""),
        dataset=report.dataset or job.dataset,
        version=report.version or job.version,
        folder=report.folder,
        host=report.host,
        pid=report.pid,
        updated=now,
        files=report.files,
        all_files=report.all_files,
        done=report.done,
        size=report.size or job.size,
        moved=report.moved,
        rate=rate,
        left=_left(report, rate),
        problem=report.problem,
        findings=report.findings,
    )
    return replace(known, job=moved, begun=report.begun, asks=asks and not running, marks=marks)


def blocker(known: Known, all_jobs: Iterable[Known]) -> Job | None:
    """Return the job that another one has to wait for: one at a time adds versions to a dataset.

    The job that asked first goes first.
    """
    job = known.job
    if job.kind not in ONE_AT_A_TIME:
        return None
    others = [
        other
        for other in all_jobs
        if other.job.active
        and other.job.id != job.id
        and other.job.dataset == job.dataset
        and other.job.kind in ONE_AT_A_TIME
        and not (other.job.state == "waiting" and other.job.cancelling)
    ]
    running = [other.job for other in others if other.job.state == "running"]
    earlier = [other.job for other in others if other.number < known.number]
    return next(iter([*running, *earlier]), None)


def check_idle(dataset: str, all_jobs: Iterable[Job]) -> None:
    """Raise InUse while a job adds a version to a dataset that is to be removed."""
    for job in all_jobs:
        if job.active and job.dataset == dataset and job.kind in ONE_AT_A_TIME:
            raise InUse(
                f"A {job.kind} of {job.user} adds a version to {dataset}.",
                hint="Cancel it, or wait until it has ended: jupyter gpu data jobs.",
            )


def granted(known: Known) -> Known:
    """Return a job that may begin."""
    return replace(known, asks=False, job=replace(known.job, state="running", reason=""))


def queued(known: Known, reason: str) -> Known:
    """Return a job that waits for its turn."""
    return replace(known, job=replace(known.job, state="waiting", reason=reason))


def cancelled(known: Known) -> Known:
    """Return a job that was asked to end."""
    return replace(known, job=replace(known.job, cancelling=True))


def lost(known: Known, now: datetime, alive: Alive, awake: datetime | None = None) -> bool:
    """Return whether the process of a job is gone, or has been silent for too long.

    `awake` is since when its reports could be heard.
    """
    job = known.job
    if not job.active:
        return False
    silent = now - max(job.updated, awake or job.updated)
    return silent >= SILENCE or (silent >= _GONE and not alive(known))


def forgotten(all_jobs: Iterable[Known], kept: int = KEPT) -> list[str]:
    """Return the ids of the jobs that ended longest ago, beyond how many are kept."""
    ended = sorted(
        (known for known in all_jobs if not known.job.active),
        key=lambda known: known.job.updated,
        reverse=True,
    )
    return [known.job.id for known in ended[kept:]]


def _marks(marks: tuple[Mark, ...], done: int, now: datetime) -> tuple[Mark, ...]:
    """Return the marks of the last seconds; none of before the count began anew."""
    if marks and done < marks[-1][1]:
        marks = ()
    recent = [mark for mark in marks if now - mark[0] <= _WINDOW]
    return (*recent[-_MARKS:], (now, done))


def _rate(marks: tuple[Mark, ...]) -> int:
    """Return the bytes a second between the first and the last mark."""
    (begin_at, begin_done), (end_at, end_done) = marks[0], marks[-1]
    seconds = (end_at - begin_at).total_seconds()
    return round((end_done - begin_done) / seconds) if seconds > 0 else 0


def _left(report: JobReport, rate: int) -> int | None:
    """Return the seconds that are left, None while that is not known."""
    if report.state != "running" or not report.size or rate <= 0:
        return None
    return round(max(report.size - report.done, 0) / rate)
