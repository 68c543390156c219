"""What a Job on cached datasets does, and for whom, as its annotation records it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ...control.storage.records import Record as Read
from ...control.storage.records import read_record
from ...model.struct import Model
from ..labels import DATA_TASK
from ..objects.workloads import Job

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
