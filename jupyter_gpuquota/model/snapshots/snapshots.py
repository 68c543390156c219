"""Snapshots as they are listed, requested, tagged and compared."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from ..datasets.jobs import Job
from ..datasets.mounts import DataMount
from ..datasets.versions import SHOWN
from ..struct import ADDED, Model, Open, Problem, Request
from .manifest import Consistency, Manifest, Mechanism, Trigger

SnapshotState = Literal["making", "ready", "partial", "failed"]
SnapshotAction = Literal["see", "restore", "mark", "remove"]

SNAPSHOT_ACTIONS: tuple[SnapshotAction, ...] = ("see", "restore", "mark", "remove")


class SnapshotPin(Model, frozen=True, kw_only=True):
    """Why a snapshot is kept whatever the rules say, and since when."""

    why: str = ""
    since: datetime


class Snapshot(Model, frozen=True, kw_only=True):
    """One snapshot, as a caller sees it.

    `id` is the sha256 of its manifest; while it is made, and if that fails, the id of its `job`.
    `partial`: some part is missing, see its manifest. `size` is in bytes, `added` those that were
    new to the lake, None where copies of volumes do not tell what they take. `data` are the
    versions of datasets that its session used, `providers` have stored its parts, or frozen the
    folder for that: `instant` if all of it is of one moment. `problems` counts missing parts;
    `problem` is why it could not be made. Of a snapshot of another user, an admin sees sizes only.
    """

    id: str
    session: str = ""
    name: str = ""
    project: str
    owner: str
    created: datetime
    note: str = ""
    tags: tuple[str, ...] = ()
    trigger: Open[Trigger] = "request"
    parent: str = ""
    state: Open[SnapshotState] = "ready"
    files: int = 0
    size: int = 0
    added: int | None = 0
    consistency: Open[Consistency] = "best-effort"
    mechanism: Open[Mechanism] = "copy"
    data: tuple[DataMount, ...] = ()
    providers: tuple[str, ...] = ()
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    pin: SnapshotPin | None = None
    problems: int = 0
    problem: Problem | None = None
    job: str = ""
    actions: tuple[Open[SnapshotAction], ...] = ()

    @property
    def short(self) -> str:
        """The beginning of its id, as it is shown."""
        return self.id[:SHOWN]


class SnapshotUse(Model, frozen=True, kw_only=True):
    """The room that the snapshots of one user in one project take, in bytes.

    `unknown` counts those whose storage does not tell what they take.
    """

    project: str
    owner: str
    snapshots: int
    size: int
    added: int
    unknown: Annotated[int, ADDED] = 0


class SnapshotList(Model, frozen=True, kw_only=True):
    """The snapshots that the caller may see, newest first.

    `total` counts all that match, `next` is the cursor of the following page. `uses` sum up the
    sizes, for all users if the caller is an admin. `problems` are lakes that do not answer.
    """

    items: tuple[Snapshot, ...] = ()
    total: int = 0
    next: str = ""
    uses: tuple[SnapshotUse, ...] = ()
    problems: tuple[str, ...] = ()


class SnapshotQuery(Request, frozen=True, kw_only=True):
    """Filters and page of the list; empty means any. `text` is searched in notes, names, tags."""

    session: str = ""
    project: str = ""
    tag: str = ""
    text: str = ""
    limit: int = 1000
    cursor: str = ""


class SnapshotRequest(Request, frozen=True, kw_only=True):
    """A snapshot to take of a session.

    `artifacts` are globs in the session's folder whose files are recorded one by one; `variables`
    are names in its kernel, which a program of the session may have written to the file `dump`
    already; else the kernel of `notebook` writes them, or the only one. `program` is
    the command line of the program that takes the snapshot of its own session. `volumes` are the
    names of those to copy, None for all that the session may write. `exclude` are patterns, as in
    `.gitignore`, of what is left out of its folder and volumes.
    """

    note: str = ""
    tags: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    variables: tuple[str, ...] = ()
    dump: str = ""
    notebook: str = ""
    program: tuple[str, ...] = ()
    volumes: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()


class LeftOut(Model, frozen=True, kw_only=True):
    """A path that a snapshot leaves out, and why; that of a folder stands for all below it."""

    path: str
    why: str


class SnapshotPreview(Model, frozen=True, kw_only=True):
    """What a snapshot would store now.

    `files` and their `size` in bytes, None where the storage does not tell them. There is more if
    it is not `complete`: counting has taken too long. `left_out` are the first paths that would be
    left out, `all_left_out` is their number.
    """

    files: int | None = None
    size: int | None = None
    complete: bool = True
    left_out: tuple[LeftOut, ...] = ()
    all_left_out: int = 0


class EnvironmentFiles(Model, frozen=True, kw_only=True):
    """What it takes to make the environment of a snapshot again.

    `python` is a version as uv takes it, `requirements` are the lines of a file for pip and uv,
    `explicit` those of one for `conda create`, none without conda.
    """

    python: str = ""
    requirements: tuple[str, ...] = ()
    explicit: tuple[str, ...] = ()


class SnapshotDetails(Model, frozen=True, kw_only=True):
    """A snapshot with its manifest, None while there is none.

    `reproduce` are the commands that rebuild the run from the snapshot, `programs` those that run
    in the restored session. `environment` is what makes its environment again, None where nothing
    is known of its packages.
    """

    snapshot: Snapshot
    manifest: Manifest | None = None
    reproduce: tuple[str, ...] = ()
    programs: Annotated[tuple[tuple[str, ...], ...], ADDED] = ()
    environment: Annotated[EnvironmentFiles | None, ADDED] = None


class SnapshotMarks(Request, frozen=True, kw_only=True):
    """All tags of a snapshot from now on. The manifest itself never changes."""

    tags: tuple[str, ...] = ()


class SnapshotPinRequest(Request, frozen=True, kw_only=True):
    """Why a snapshot shall be kept."""

    why: str = ""


class SnapshotFolder(Request, frozen=True, kw_only=True):
    """A new folder to write a snapshot's files to; an absolute path of the controller's machine."""

    folder: str


class SnapshotFiles(Model, frozen=True, kw_only=True):
    """A part of the files of a snapshot, which are one tar archive with a folder for each volume.

    Parts without data say that it goes on. The last one has the `job`; without it the archive is
    not whole.
    """

    data: bytes = b""
    job: Job | None = None


class SnapshotRules(Model, frozen=True, kw_only=True):
    """Which snapshots are made and removed by themselves, for one user.

    The last `keep_last` of each session stay, one of each of the last `daily` days and `weekly`
    weeks in which there are any, and all with a tag or a pin; 0 everywhere keeps all. Every `every`
    seconds a running session is stored, 0: never; `on_suspend` and `on_finish` when it is
    suspended or has ended.
    """

    keep_last: int = 0
    daily: int = 0
    weekly: int = 0
    every: int = 0
    on_suspend: bool = False
    on_finish: bool = False


class SnapshotRulesRequest(Request, frozen=True, kw_only=True):
    """The rules of `SnapshotRules` that shall hold from now on.

    With `dry_run` nothing changes: the answer says what they would remove.
    """

    keep_last: int = 0
    daily: int = 0
    weekly: int = 0
    every: int = 0
    on_suspend: bool = False
    on_finish: bool = False
    dry_run: bool = False


class SnapshotSettings(Model, frozen=True, kw_only=True):
    """Rules of the caller, and the ids of the snapshots that they would remove now."""

    rules: SnapshotRules = SnapshotRules()
    removed: tuple[str, ...] = ()
