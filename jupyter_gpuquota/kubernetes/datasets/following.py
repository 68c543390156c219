"""One Job on cached datasets, followed from its creation to its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from datetime import datetime
from typing import Protocol

from ...errors import Conflict, GpuQuotaError
from ...model.reasons import Reason
from ..api import Api, Fault
from ..objects.pods import Pod
from ..objects.workloads import Job
from ..resources import JOBS
from ..state.seen import FINISHED, is_running
from ..watching.cache import Key
from .objects import DataJobObjects
from .outcome import end_of, failure_of, why_idle
from .pod_log import PodLog
from .task import Task

_log = logging.getLogger(__name__)

_NOT_FOUND = 404
_LONGEST = 5.0
"""Seconds between two looks at a Job of which nothing has changed."""
_SHORTEST = 0.1
"""Seconds between two looks at a Job in a cluster where much changes."""
_LAST_LINES = 2.0
"""Seconds for the log to end by itself, once the Job has."""


class Listener(Protocol):
    """What is told of a Job; calls about one Job come one after another."""

    async def heard(self, key: Key, task: Task, at: datetime, line: bytes) -> None:
        """Take note of a line of its log and its time; the same one may come twice."""

    async def waits(self, key: Key, task: Task, why: Reason | None) -> None:
        """Take note of why no pod does its work, None if one does."""

    async def ended(self, key: Key, task: Task, error: GpuQuotaError | None) -> None:
        """Take note that it has ended: with an error where its program failed, or it is gone."""


class Follower:
    """Follows one Job, by the watches and the log of its newest pod."""

    def __init__(
        self, api: Api, objects: DataJobObjects, listener: Listener, key: Key, task: Task
    ) -> None:
        self._api = api
        self._objects = objects
        self._listener = listener
        self._key = key
        self._task = task
        self._wake = asyncio.Event()
        self._uid = ""
        self._log: PodLog | None = None
        self._reading: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Return once the Job has ended, or is gone."""
        unsubscribe = self._objects.subscribe(self._wake.set)
        try:
            while not await self._look():
                await asyncio.sleep(_SHORTEST)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LONGEST):
                        await self._wake.wait()
                self._wake.clear()
        finally:
            unsubscribe()
            await self._stop_reading()

    async def _look(self) -> bool:
        """Read what there is to read; return whether the Job has ended."""
        try:
            job = await self._job()
        except Fault as fault:
            _log.warning("the Job %s/%s cannot be read: %s", *self._key, fault)
            return False
        if job is None:
            await self._finish()
            await self._listener.ended(self._key, self._task, self._gone())
            return True
        pods = self._objects.pods(job)
        if pods and _has_log(pods[-1]):
            self._read(pods[-1])
        if end := end_of(job):
            await self._finish()
            error = failure_of(job, pods) if end == "failed" else None
            await self._listener.ended(self._key, self._task, error)
            return True
        why = why_idle(job, pods, self._objects.events(job))
        await self._listener.waits(self._key, self._task, why)
        return False

    async def _job(self) -> Job | None:
        """Return the Job; a watch may show late that it was created. Raises Fault."""
        if job := self._objects.job(self._key):
            return job
        try:
            return await self._api.get(JOBS, *self._key)
        except Fault as fault:
            if fault.status == _NOT_FOUND:
                return None
            raise

    def _gone(self) -> GpuQuotaError:
        namespace, name = self._key
        return Conflict(f"The Job {name} in {namespace} was deleted.", hint="Try again.")

    def _read(self, pod: Pod) -> None:
        """Follow the log of a pod, and again if its connection was lost."""
        if self._uid != pod.metadata.uid or self._log is None:
            if self._reading:
                self._reading.cancel()
            self._uid, self._log = pod.metadata.uid, PodLog(self._api, pod)
            self._reading = None
        if self._reading is None or self._reading.done():
            follow = pod.status.phase not in FINISHED
            self._reading = asyncio.create_task(self._pass_on(self._log, follow=follow))

    async def _pass_on(self, log: PodLog, *, follow: bool) -> None:
        try:
            async for at, line in log.read(follow=follow):
                await self._listener.heard(self._key, self._task, at, line)
        except Fault as fault:
            _log.warning("the log of the Job %s/%s cannot be read: %s", *self._key, fault)

    async def _finish(self) -> None:
        """Read the log to its end."""
        if self._reading:
            await asyncio.wait({self._reading}, timeout=_LAST_LINES)
        await self._stop_reading()
        if self._log:
            await self._pass_on(self._log, follow=False)

    async def _stop_reading(self) -> None:
        if self._reading:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None


def _has_log(pod: Pod) -> bool:
    return is_running(pod) or pod.status.phase in FINISHED
