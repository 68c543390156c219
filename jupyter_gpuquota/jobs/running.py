"""Running a job: it waits for its turn, reports while it works, and ends when it is told to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from ..client.exit_codes import INTERRUPTED, OK, exit_code_of
from ..errors import GpuQuotaError, Internal, Unavailable
from ..model.datasets.jobs import Job as Answer
from ..model.datasets.jobs import JobState
from ..model.struct import error_of
from ..store.disk.failures import failure
from .job import Job

PAUSE = 0.5
"""Seconds from one report to the next."""
_PATIENCE = 60.0
"""Seconds without an answer after which a job that has not begun fails."""
_DELIVERY = 30.0
"""Seconds for which the last report is repeated if there is no answer."""

_log = logging.getLogger(__name__)

Work = Callable[[], Coroutine[Any, Any, None]]
Listen = Callable[[Callable[[], None]], None]


class Outcome(NamedTuple):
    """How a job has ended, and why."""

    state: JobState
    error: GpuQuotaError | None = None

    @property
    def exit_code(self) -> int:
        """The exit code of its process."""
        if self.error:
            return exit_code_of(self.error)
        return INTERRUPTED if self.state == "cancelled" else OK


async def run(job: Job, work: Work, listen: Listen) -> Outcome:
    """Run a job to its end. `listen` is given what cancels the job, for signals."""
    doing = asyncio.create_task(_work(job, work))
    listen(lambda: _stop(job, doing))
    reporting = asyncio.create_task(_report(job, doing))
    # A cancelled job may have to clean up: until it has ended, it reports.
    await asyncio.wait([doing])
    reporting.cancel()
    await asyncio.wait([reporting])
    outcome = _outcome(job, doing)
    await _deliver(job, outcome)
    return outcome


async def _work(job: Job, work: Work) -> None:
    await job.turn.wait()
    await work()


def _stop(job: Job, doing: asyncio.Task[None]) -> None:
    job.stopped = True
    doing.cancel()


async def _report(job: Job, doing: asyncio.Task[None]) -> None:
    """Report until cancelled, and do what the answers say."""
    loop = asyncio.get_running_loop()
    silent = 0.0
    while True:
        try:
            state: JobState = "running" if job.turn.is_set() else "waiting"
            answer = await job.tell(job.reporter.report, job.report(state))
        except (Unavailable, BrokenPipeError) as error:
            # A controller may be restarted now; the work does not depend on it.
            if not silent:
                silent = loop.time()
                _log.warning("Reports are not received: %s", error)
            if not job.turn.is_set() and loop.time() - silent > _PATIENCE:
                _refuse(job, doing, Unavailable(f"The job could not begin: {error}"))
        except GpuQuotaError as error:
            _refuse(job, doing, error)
        else:
            silent = 0.0
            _follow(job, doing, answer)
        await asyncio.sleep(PAUSE)


def _follow(job: Job, doing: asyncio.Task[None], answer: Answer | None) -> None:
    """Do what the answer to a report says."""
    if answer is None or answer.state == "running":
        job.turn.set()
    if answer is None or job.stopped or job.refused:
        return
    if answer.cancelling or answer.state == "cancelled":
        _stop(job, doing)
    elif answer.state == "failed" and answer.problem:
        _refuse(job, doing, error_of(answer.problem))


def _refuse(job: Job, doing: asyncio.Task[None], error: GpuQuotaError) -> None:
    if not (job.stopped or job.refused):
        job.refused = error
        doing.cancel()


def _outcome(job: Job, doing: asyncio.Task[None]) -> Outcome:
    """Return how the work has ended."""
    error = None if doing.cancelled() else doing.exception()
    if error is None and not doing.cancelled():
        return Outcome("done")
    if job.refused:
        return Outcome("failed", job.refused)
    if job.stopped:
        return Outcome("cancelled")
    return Outcome("failed", _translated(error))


def _translated(error: BaseException | None) -> GpuQuotaError:
    """Return an error as users see it."""
    if isinstance(error, GpuQuotaError):
        return error
    if isinstance(error, OSError):
        return failure(Path(error.filename or "."), error)
    _log.error("The job has failed.", exc_info=error)
    return Internal(
        f"The job has failed: {type(error).__name__}.", hint="Its log has the details; report it."
    )


async def _deliver(job: Job, outcome: Outcome) -> None:
    """Report how the job has ended, as often as necessary."""
    last = job.report(outcome.state, outcome.error)
    deadline = asyncio.get_running_loop().time() + _DELIVERY
    while True:
        try:
            await job.tell(job.reporter.report, last)
        except Unavailable as error:
            if asyncio.get_running_loop().time() > deadline:
                _log.warning("The end of the job cannot be reported: %s", error)
                return
        except (GpuQuotaError, OSError) as error:
            _log.warning("The end of the job cannot be reported: %s", error)
            return
        else:
            return
        await asyncio.sleep(PAUSE)
