"""Sessions start when their datasets are cached.

It runs in the event loop, like everything that clears cached versions: whether a version is there
and whether a session uses it are never decided at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from ...core.datasets import mounts
from ...core.datasets.mounts import Key, Verdict
from ...errors import GpuQuotaError, NotFound, WrongState
from ...model.datasets.caches import CachedVersion
from ...model.datasets.jobs import Job
from ...model.sessions import Session
from ...ports.datasets import Caches, Datasets, Jobs
from ..board import BySession

_log = logging.getLogger(__name__)

_PAUSE = 0.5
"""Seconds between two looks while sessions wait: jobs report as often."""
_RETRY = timedelta(seconds=30)
_LONGEST = timedelta(minutes=10)
"""A failed fetch is tried again after `_RETRY`, then after twice that, at most after `_LONGEST`."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """What has come of fetching a version: the job, and why the last attempt failed."""

    job: str = ""
    problem: str = ""
    again: datetime | None = None
    """When it is tried again, None while it is being fetched."""
    pause: timedelta = _RETRY


class DataGate:
    """Has the versions fetched that queued sessions use, and says which sessions may start.

    `sessions` returns all sessions, `verdicts` and `wake` tell the scheduler.
    """

    def __init__(
        self,
        sessions: Callable[[], Sequence[Session]],
        verdicts: BySession[Verdict],
        datasets: Datasets,
        caches: Caches,
        jobs: Jobs,
        wake: Callable[[], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._sessions = sessions
        self._verdicts = verdicts
        self._datasets = datasets
        self._caches = caches
        self._jobs = jobs
        self._wake_scheduler = wake
        self._now = now
        self._fetches: dict[Key, Fetch] = {}
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to look after queued sessions."""
        self._running = asyncio.create_task(self._run())

    def follow(self, sessions: Sequence[Session]) -> None:
        """Look at once if a session waits for its datasets, or has waited for them."""
        if self._fetches or mounts.waiting(sessions):
            self._wake.set()

    async def close(self) -> None:
        """Stop; fetches go on, and their sessions start with the next controller."""
        if self._running:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def look(self) -> None:
        """Publish which sessions may start; fetch what is missing, and cancel what is not needed.

        No fetch begins for a version while one is running, whoever has started it.
        """
        self._publish()
        copies = self._copies()
        wanted = _wanted(self._sessions(), copies)
        for key in [key for key in self._fetches if key not in wanted]:
            await self._drop(key, cached=mounts.is_there(copies.get(key)))
        for key, session in wanted.items():
            if running := self._running_fetch(key):
                self._adopt(key, running, session)
            elif self._is_due(key, copies):
                await self._fetch(key, session.owner)
        self._publish()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.look()
            except Exception:  # noqa: BLE001 (a bug must not keep all sessions waiting)
                _log.exception("looking after the datasets of sessions failed")
            pause = _PAUSE if mounts.waiting(self._sessions()) else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    def _publish(self) -> None:
        """Publish verdicts without a pause between looking at the cache and saying so."""
        copies = self._copies()
        self._note_ends()
        problems = {key: each.problem for key, each in self._fetches.items() if each.problem}
        found = {
            session.id: (
                session.since,
                mounts.why_waiting(mounts.missing(session, copies), copies, problems),
            )
            for session in mounts.waiting(self._sessions())
        }
        if self._verdicts.show(found):
            self._wake_scheduler()

    def _copies(self) -> dict[Key, CachedVersion]:
        return {(each.dataset, each.version): each for each in self._caches.all()}

    def _note_ends(self) -> None:
        """Note the fetches that have failed, and when they are tried again."""
        jobs = {job.id: job for job in self._jobs.all()}
        for key, fetch in self._fetches.items():
            job = jobs.get(fetch.job)
            if job and not job.active and job.state != "done" and not fetch.problem:
                self._fetches[key] = self._failed(fetch, job)

    def _failed(self, fetch: Fetch, job: Job) -> Fetch:
        """Return a fetch that has ended; one that somebody has cancelled is not tried again."""
        if job.state == "cancelled":
            return replace(fetch, problem="fetching it was cancelled.", again=None)
        said = job.problem.message if job.problem else "its process has ended."
        return self._later(fetch, said)

    def _later(self, fetch: Fetch, problem: str) -> Fetch:
        again, pause = self._now() + fetch.pause, min(2 * fetch.pause, _LONGEST)
        return replace(fetch, problem=problem, again=again, pause=pause)

    def _is_due(self, key: Key, copies: Mapping[Key, CachedVersion]) -> bool:
        """Return whether a version has to be asked for, for the first time or again."""
        copy = copies.get(key)
        if copy and copy.state in {"fetching", "clearing"}:
            return False
        fetch = self._fetches.get(key)
        return not fetch or not fetch.problem or bool(fetch.again and fetch.again <= self._now())

    def _running_fetch(self, key: Key) -> Job | None:
        """Return the job that fetches a version, or waits for its turn."""
        found = (job for job in self._jobs.all() if job.active and job.kind == "cache")
        return next((job for job in found if (job.dataset, job.version) == key), None)

    def _adopt(self, key: Key, job: Job, session: Session) -> None:
        """Note a job that was begun for a session: by another controller, or its owner's process.

        A fetch that was begun earlier, or by somebody else, is only waited for.
        """
        if key not in self._fetches and job.user == session.owner and job.started >= session.since:
            self._fetches[key] = Fetch(job=job.id)

    async def _fetch(self, key: Key, owner: str) -> None:
        before = self._fetches.get(key, Fetch())
        try:
            found = await self._datasets.versions(key[0])
            version = next((each for each in found if each.id == key[1]), None)
            if version is None:
                raise NotFound("This version was removed.")
            answer = await self._caches.fetch(version, owner)
        except GpuQuotaError as error:
            self._fetches[key] = self._later(before, f"{error.message} {error.hint}".rstrip())
            return
        if answer.job:
            self._fetches[key] = replace(before, job=answer.job.id, problem="", again=None)
        elif not mounts.is_there(answer.copy):
            state = answer.copy.state if answer.copy else "missing"
            self._fetches[key] = self._later(before, f"its copy is {state}.")

    async def _drop(self, key: Key, *, cached: bool) -> None:
        """Forget a version that nobody waits for; cancel its fetch if it was begun here."""
        fetch = self._fetches.pop(key)
        if fetch.job and not cached:
            with contextlib.suppress(NotFound, WrongState):  # it has ended
                await self._jobs.cancel(fetch.job)


def _wanted(sessions: Sequence[Session], copies: Mapping[Key, CachedVersion]) -> dict[Key, Session]:
    """Return the versions that queued sessions miss, and which session waits longest for each."""
    return {
        mounts.key_of(mount): session
        for session in reversed(mounts.waiting(sessions))
        for mount in mounts.missing(session, copies)
    }
