"""The Jobs on cached datasets: started, adopted after a restart, cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Literal, Protocol

from ...errors import Conflict, GpuQuotaError, Unavailable
from ...model.reasons import Reason
from ..api import Api, Fault
from ..builders.helper_pod import DataJob, DataJobSettings, data_job
from ..connection.decoding import lines
from ..faults import translated
from ..objects.pods import Event, Pod, Terminated
from ..objects.workloads import Job
from ..resources import JOBS
from ..session_pods import pod_path
from ..state.ends import last_end
from ..state.seen import FINISHED, Seen, is_running
from ..state.waiting import why_not_ready, why_waiting
from ..watching.cache import Key
from .task import DataJobObjects, Task, encode, task_of

_STAMP = re.compile(rb"((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\S*) ")
_NO_LOG = (400, 404)
"""Answers for a container that has not started, or is gone."""
_NOT_FOUND = 404


class PodLog:
    """Reads the log of one pod, as often as necessary; lines may come twice."""

    def __init__(self, api: Api, pod: Pod) -> None:
        self._api = api
        self._pod = pod
        self._since = ""

    async def read(self, *, follow: bool) -> AsyncGenerator[tuple[datetime, bytes]]:
        """Yield lines and their times, from the second of the last one that was read.

        With `follow` it goes on until the server ends it, which some do with the container. Raises
        Fault.
        """
        query = {"container": self._pod.main.name, "timestamps": "true"}
        if follow:
            query["follow"] = "true"
        if self._since:
            query["sinceTime"] = self._since
        try:
            path = pod_path(self._pod, "log")
            async with aclosing(lines(self._api.stream(path, query))) as found:
                async for line in found:
                    stamp = _STAMP.match(line)
                    if stamp:
                        self._since = f"{stamp[2].decode()}Z"
                        yield _time(stamp[1].decode()), line[stamp.end() :]
        except Fault as fault:
            if fault.status not in _NO_LOG:
                raise


def _time(stamp: str) -> datetime:
    """Return the time of a line, to the microsecond."""
    try:
        return datetime.fromisoformat(stamp).astimezone(UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


End = Literal["done", "failed"]

_ENDS: Mapping[str, End] = {"Complete": "done", "SuccessCriteriaMet": "done", "Failed": "failed"}
_OUT_OF_MEMORY = "OOMKilled"


def why_idle(job: Job, pods: Sequence[Pod], events: Sequence[Event]) -> Reason | None:
    """Return why no pod of a Job does its work; None if one does, or nothing tells."""
    seen = Seen(workload=job, pods=pods, events=events)
    pod = seen.present
    if pod is None or not pod.spec.node_name:
        return why_waiting(job.metadata.namespace, seen)
    return None if is_running(pod) else why_not_ready(seen, pod)


def end_of(job: Job) -> End | None:
    """Return how a Job has ended; None while it goes on."""
    held = (c.type for c in job.status.conditions if c.status == "True" and c.type in _ENDS)
    return next((_ENDS[kind] for kind in held), None)


def failure_of(job: Job, pods: Sequence[Pod]) -> Unavailable:
    """Return why a Job has failed whose program did not say it."""
    name, namespace = job.metadata.name, job.metadata.namespace
    failed = next((c for c in job.status.conditions if c.type == "Failed"), None)
    if failed and failed.reason == "DeadlineExceeded":
        return Unavailable(
            f"The Job {name} took longer than it may.",
            hint="Try again, or ask an administrator to raise dataset_deadline.",
        )
    ended = [end for end in map(_end, pods) if end]
    if any(end.reason == _OUT_OF_MEMORY for end in ended):
        return Unavailable(
            f"The Job {name} ran out of memory.",
            hint="Ask an administrator to raise dataset_memory.",
        )
    lines = [line for end in ended for line in end.message.splitlines() if _is_said(line)]
    said = lines[-1] if lines else failed.message if failed else ""
    return Unavailable(
        f"The Job {name} in {namespace} has failed{f': {said}' if said else ''}.",
        hint=f"Its log says more: kubectl -n {namespace} logs job/{name}",
    )


def _is_said(line: str) -> bool:
    """Return whether a line is for people: reports are JSON."""
    return bool(line.strip()) and not line.startswith("{")


def _end(pod: Pod) -> Terminated | None:
    status = pod.main_status
    return last_end(status) if status else None


_log = logging.getLogger(__name__)

_NOT_FOUND = 404
_LONGEST = 5.0
"""Seconds between two looks at a Job of which nothing has changed."""
_SHORTEST = 0.1
"""Seconds between two looks at a Job in a cluster where much changes."""
_LAST_LINES = 2.0
"""Seconds for the log to end by itself, once the Job has."""
_LAST_READ = 30.0
"""Seconds for the log of a Job that has ended to be read: its node may have gone with it."""


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
        self,
        api: Api,
        objects: DataJobObjects,
        listener: Listener,
        key: Key,
        task: Task,
        last_read: float,
    ) -> None:
        self._api = api
        self._objects = objects
        self._listener = listener
        self._key = key
        self._task = task
        self._last_read = last_read
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
        """Read the log to its end, unless nothing comes any more: the Job has ended anyway."""
        if self._reading:
            await asyncio.wait({self._reading}, timeout=_LAST_LINES)
        await self._stop_reading()
        if self._log:
            self._reading = asyncio.create_task(self._pass_on(self._log, follow=False))
            _, late = await asyncio.wait({self._reading}, timeout=self._last_read)
            if late:
                _log.warning("the log of the Job %s/%s does not end", *self._key)
            await self._stop_reading()

    async def _stop_reading(self) -> None:
        if self._reading:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None


def _has_log(pod: Pod) -> bool:
    return is_running(pod) or pod.status.phase in FINISHED


class DataJobs:
    """The Jobs that work on claims. Every method runs in the event loop.

    Nothing about them is stored but on the cluster: a controller that starts finds them by their
    annotation, and follows those that run as well as those that have ended since. `last_read` is
    how many seconds the log of one that has ended may take.
    """

    def __init__(
        self,
        api: Api,
        objects: DataJobObjects,
        settings: DataJobSettings,
        listener: Listener,
        last_read: float = _LAST_READ,
    ) -> None:
        self._api = api
        self._objects = objects
        self._settings = settings
        self._listener = listener
        self._last_read = last_read
        self._keys: dict[str, Key] = {}
        self._followed: dict[Key, asyncio.Task[None]] = {}

    def open(self) -> None:
        """Follow the Jobs that are there, the oldest first."""
        found = [(task, job) for job in self._objects.all() if (task := task_of(job))]
        for task, job in sorted(found, key=lambda each: each[0].started):
            self._follow(job.key, task)

    async def close(self) -> None:
        """Stop following; the Jobs go on."""
        tasks = list(self._followed.values())
        self._followed.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def start(self, wanted: DataJob, task: Task) -> None:
        """Create a Job, and follow it. Raises NotAllowed, Unavailable, Conflict, InvalidFields."""
        manifest = data_job(wanted, self._settings, encode(task))
        with translated():
            made = await self._api.create(JOBS, wanted.namespace, manifest)
        self._follow(made.key, task)

    def has(self, job: str) -> bool:
        """Return whether a job is a Job that is followed."""
        return job in self._keys

    async def cancel(self, job: str) -> None:
        """Delete the Job of a job, which ends its program. Raises NotAllowed, Unavailable."""
        if key := self._keys.get(job):
            with translated():
                try:
                    await self._api.delete(JOBS, *key)
                except Fault as fault:
                    if fault.status != _NOT_FOUND:
                        raise

    def _follow(self, key: Key, task: Task) -> None:
        if key in self._followed:
            return
        self._keys[task.id] = key
        follower = Follower(self._api, self._objects, self._listener, key, task, self._last_read)
        self._followed[key] = asyncio.create_task(self._run(follower, key, task))

    async def _run(self, follower: Follower, key: Key, task: Task) -> None:
        try:
            await follower.run()
        finally:
            self._followed.pop(key, None)
            self._keys.pop(task.id, None)
