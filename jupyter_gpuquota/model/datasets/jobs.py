"""Jobs: long operations on data, each in a process of its own."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

from ..struct import ADDED, Model, Open, Problem, Request

JobKind = Literal[
    "sync",
    "export",
    "import",
    "cache",
    "evict",
    "verify",
    "index",
    "gc",
    "register",
    "snapshot",
    "restore",
]
JobState = Literal["waiting", "running", "done", "failed", "cancelled", "lost"]

StartedKind = Literal["sync", "export", "cache"]

JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)
ACTIVE_JOBS: frozenset[JobState] = frozenset({"waiting", "running"})


class Job(Model, frozen=True, kw_only=True):
    """One job.

    `version` is what it works on, or what it has made. `reason` says what a waiting job waits for.
    `done` of `size` bytes and `files` of `all_files` are done; totals are 0 while they are unknown.
    `moved` counts the bytes that travelled over the network. `rate` is in bytes a second, `left` in
    seconds, None while it is not known. `folder`, `host` and `pid` are shown to the job's user and
    to admins.
    """

    id: str
    kind: Open[JobKind]
    dataset: str = ""
    version: str = ""
    folder: str = ""
    user: str = ""
    host: str = ""
    pid: int = 0
    state: Open[JobState] = "waiting"
    cancelling: bool = False
    reason: str = ""
    started: datetime
    updated: datetime
    files: int = 0
    all_files: int = 0
    done: int = 0
    size: int = 0
    moved: int = 0
    rate: int = 0
    left: int | None = None
    problem: Annotated[Problem | None, ADDED] = None
    findings: Annotated[tuple[str, ...], ADDED] = ()

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in ACTIVE_JOBS


class JobReport(Request, frozen=True, kw_only=True):
    """How far a job has come, as its process reports it.

    `begun` is when its process was started, in clock ticks after the boot of its machine, so that
    another process with its pid is not taken for it. `findings` are the paths that a verification
    has found damaged. A report in the state `waiting` asks for a turn: the answer is `running`
    once the job may begin. `reason` says what else it waits for, such as a node of a cluster.
    `frozen` says that a snapshot has a view of its session's folder, which may be written again.
    """

    kind: JobKind
    dataset: str = ""
    version: str = ""
    folder: str = ""
    host: str = ""
    pid: int = 0
    begun: int = 0
    state: JobState
    reason: str = ""
    files: int = 0
    all_files: int = 0
    done: int = 0
    size: int = 0
    moved: int = 0
    problem: Problem | None = None
    findings: tuple[str, ...] = ()
    frozen: bool = False


class JobList(Model, frozen=True, kw_only=True):
    """The jobs that the caller may see: active ones, and those that have ended, newest first."""

    items: tuple[Job, ...] = ()


class JobQuery(Request, frozen=True, kw_only=True):
    """Which jobs to list: those of a dataset, or only active ones."""

    dataset: str = ""
    active: bool = False


class JobRequest(Request, frozen=True, kw_only=True):
    """A job to start on the machine of a Jupyter Server, which has the folder and the credentials.

    A relative `folder` starts at the server's root. `message` and `tag` are those of the version
    that a sync makes.
    """

    kind: StartedKind
    dataset: str
    version: str = ""
    folder: str = ""
    message: str = ""
    tag: str = ""


class JobStarted(Model, frozen=True, kw_only=True):
    """The id of a job that has been started; it is listed once its process has reported."""

    id: str
