"""The Jobs on cached datasets: started, adopted after a restart, cancelled."""

from __future__ import annotations

import asyncio

from ..api import Api, Fault
from ..builders.helper_pod import DataJob, DataJobSettings, data_job
from ..faults import translated
from ..resources import JOBS
from ..watching.cache import Key
from .following import Follower, Listener
from .objects import DataJobObjects
from .task import Task, encode, task_of

_NOT_FOUND = 404


class DataJobs:
    """The Jobs that work on claims. Every method runs in the event loop.

    Nothing about them is stored but on the cluster: a controller that starts finds them by their
    annotation, and follows those that run as well as those that have ended since.
    """

    def __init__(
        self, api: Api, objects: DataJobObjects, settings: DataJobSettings, listener: Listener
    ) -> None:
        self._api = api
        self._objects = objects
        self._settings = settings
        self._listener = listener
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
        follower = Follower(self._api, self._objects, self._listener, key, task)
        self._followed[key] = asyncio.create_task(self._run(follower, key, task))

    async def _run(self, follower: Follower, key: Key, task: Task) -> None:
        try:
            await follower.run()
        finally:
            self._followed.pop(key, None)
            self._keys.pop(task.id, None)
