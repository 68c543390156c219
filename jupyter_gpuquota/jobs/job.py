"""One job: what its verb uses of the process that it runs in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from msgspec.structs import replace

from ..errors import Damaged, GpuQuotaError
from ..model.datasets.jobs import JobReport, JobState
from ..model.struct import problem_of
from ..store.progress import Progress
from .reporters import Reporter

P = ParamSpec("P")
T = TypeVar("T")

_NAMED = 1000
"""Damaged paths that a report has at most."""
_SHOWN = 3


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
