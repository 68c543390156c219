"""What a Job on cached datasets does, and for whom, as its annotation records it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from ...control.storage.records import Record as Read
from ...control.storage.records import read_record
from ...model.struct import Model
from ..labels import DATA_TASK
from ..objects.pods import Event, Pod
from ..objects.workloads import Job
from ..reconcile.objects import OURS
from ..resources import EVENTS, JOBS, PODS
from ..watching.cache import Key
from ..watching.watches import Watches

Verb = Literal["cache", "verify", "evict", "index", "gc"]


class Task(Model, frozen=True, kw_only=True):
    """One operation on the datasets of a claim.

    `id` is that of the job that users see. `size` and `files` are those of the version, `copies`
    the datasets and versions to evict. `only` is the part to verify, `lake` or `cache`; `lake` the
    one to collect, with `grace` in seconds, and `keep` the versions that stay in it anyway.
    """

    id: str
    verb: Verb
    dataset: str = ""
    version: str = ""
    user: str = ""
    size: int = 0
    files: int = 0
    copies: tuple[tuple[str, str], ...] = ()
    only: str = ""
    lake: str = ""
    grace: int = 0
    keep: tuple[str, ...] = ()
    started: datetime


def encode(task: Task) -> str:
    """Return a task as text."""
    return msgspec.json.encode(task).decode()


def task_of(job: Job) -> Task | None:
    """Return the task of a Job, None if it has none that can be read."""
    text = job.metadata.annotations.get(DATA_TASK, "")
    read: Read[Task] = read_record(text.encode(), _decode)
    return read.value


def _decode(data: bytes) -> Task:
    return msgspec.json.decode(data, type=Task)


class DataJobObjects:
    """The Jobs with a task, by namespace and name."""

    def __init__(self, watches: Watches) -> None:
        self._jobs = watches.cache(JOBS, OURS)
        self._pods = watches.cache(PODS)
        self._events = watches.cache(EVENTS)

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call a function whenever a Job, a pod or an event may have changed; return what ends it.

        It is called for those of sessions, too, so it must return quickly.
        """

        def moved(_: frozenset[Key]) -> None:
            changed()

        ends = [cache.subscribe(moved) for cache in (self._jobs, self._pods, self._events)]

        def end() -> None:
            for each in ends:
                each()

        return end

    def all(self) -> list[Job]:
        """Return all Jobs with a task."""
        return [job for job in self._jobs.values() if DATA_TASK in job.metadata.annotations]

    def job(self, key: Key) -> Job | None:
        """Return a Job, None if it is not there."""
        return self._jobs.get(*key)

    def pods(self, job: Job) -> Sequence[Pod]:
        """Return the pods of a Job, the newest last."""
        found = self._pods.owned_by(job.metadata.uid)
        return sorted(found, key=_made)

    def events(self, job: Job) -> Sequence[Event]:
        """Return the events of a Job and its pods."""
        about = {job.metadata.uid, *(pod.metadata.uid for pod in self.pods(job))}
        namespace = job.metadata.namespace
        return [e for e in self._events.values(namespace) if e.involved_object.uid in about]


def _made(pod: Pod) -> tuple[float, str]:
    made = pod.metadata.creation_timestamp
    return made.timestamp() if made else 0.0, pod.metadata.name
