"""Sessions: what is requested, what was accepted, and the present state."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, get_args

import msgspec

from .clusters.fallback import Fallback
from .datasets.mounts import DataMount
from .ending import Ending, Exit
from .idleness import Idleness, KeptAlive
from .pods import PodOptions, PodRequest
from .reasons import Reason
from .resources import Isolation, Placement, Share, Usage
from .struct import ADDED, Args, Model, Number, Open, Request
from .volumes.mounts import Mount

Kind = Literal["interactive", "interactive-spot", "train"]
Framework = Literal["torch", "mpi"]
State = Literal[
    "waiting", "starting", "running", "stopping", "suspended", "stopped", "done", "failed"
]
Goal = Literal["run", "suspend", "stop", "requeue"]
LifeAction = Literal["suspend", "resume", "resize", "stop", "delete"]
Action = Literal["open", "log", "exec", "keep_alive", LifeAction, "activity", "snapshot"]

KINDS: tuple[Kind, ...] = get_args(Kind)
STATES: tuple[State, ...] = get_args(State)
ACTIONS: tuple[Action, ...] = get_args(Action)

LIVE: frozenset[State] = frozenset({"starting", "running", "stopping"})
"""States in which a session has processes and holds its share."""

ENDED: frozenset[State] = frozenset({"stopped", "done", "failed"})
"""States that only resume and delete lead out of."""


class SessionFields(PodRequest, frozen=True, kw_only=True):
    """What is requested of a session, as a user types it.

    `gpu` is a fraction (`0.5`) or a count, `gpu_memory` MiB or a quantity, `gpu_compute` per cent.
    `environment` is an id, the path of a Python prefix or an image, `folder` a path (relative ones
    start at the server's root). An empty `command` means a Jupyter Server; `args` are appended to
    either. `node_type` is the node group to run on, `base_url` that of the JupyterLab that will
    show it. `idle_timeout` (`30m`; `0`: never) is granted as far as the policy allows; with
    `stop_when_idle` the session is then stopped. `data`
    are versions of datasets, as `NAME`, `NAME@REF` or `NAME@REF:/path`. `volumes` are those of the
    project, as `NAME:/path[:ro]`, or new ones as `CLASS:SIZE:/path`. A training runs its command in
    several `processes`, each with the whole share; for the `framework` mpi only a launcher runs it,
    where the cluster has MPIJobs.
    """

    project: str = ""
    kind: Kind = "interactive"
    gpu: Number = ""
    gpu_memory: Number = ""
    gpu_compute: Number = ""
    mig_profile: str = ""
    environment: str = ""
    folder: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    ports: tuple[int, ...] = ()
    priority: int = 50
    node_type: str = ""
    base_url: str = "/"
    idle_timeout: Number = ""
    stop_when_idle: Annotated[bool, ADDED] = False
    processes: Annotated[int, ADDED] = 1
    framework: Annotated[Framework, ADDED] = "torch"
    data: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()


class SessionRequest(SessionFields, frozen=True, kw_only=True):
    """A requested session; checked by `core.requests.specs.check`.

    `on` are clusters and templates in the order in which they are tried, `on_wait` (`10m`; empty:
    as admins have set it) how long each but the last is waited for. The fields of a template
    replace those of the request there.
    """

    name: str
    on: tuple[str, ...] = ()
    on_wait: Number = ""


class ResumeRequest(Request, frozen=True, kw_only=True):
    """Request to resume a session, in the JupyterLab at `base_url`; empty: where it was."""

    base_url: str = ""


class SessionSpec(Model, frozen=True, kw_only=True):
    """A checked request: every value can be used as it is.

    `environment` is a Python prefix, empty where there is an `image`; it and `folder` are absolute
    paths. `idle_timeout` is in seconds (0: never). `pod` is None without options of a container.
    `data` are versions of datasets, `mounts` its volumes; `share` is that of a process.
    """

    name: str
    project: str
    kind: Open[Kind]
    share: Share
    environment: str
    image: str = ""
    folder: str
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    ports: tuple[int, ...] = ()
    priority: int = 50
    node_type: str = ""
    base_url: str = "/"
    idle_timeout: int | None = None
    stop_when_idle: Annotated[bool, ADDED] = False
    processes: Annotated[int, ADDED] = 1
    framework: Annotated[Open[Framework], ADDED] = "torch"
    pod: Annotated[PodOptions | None, ADDED] = None
    data: Annotated[tuple[DataMount, ...], ADDED] = ()
    volumes: Annotated[tuple[Mount, ...], ADDED] = ()

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The volumes of the session, also of one that an earlier version launched."""
        return (*self.volumes, *(each.mount for each in (self.pod.mounts if self.pod else ())))

    @property
    def serves_jupyter(self) -> bool:
        """Return whether the session is a Jupyter Server rather than a command."""
        return not self.command


class Progress(Model, frozen=True, kw_only=True):
    """One step on the way to running; `key` and `args` are those of the message, as in a reason."""

    at: datetime
    message: str
    key: Annotated[str, ADDED] = ""
    args: Args = msgspec.field(default_factory=dict)


class Reclaim(Model, frozen=True, kw_only=True):
    """For which session GPUs were last reclaimed, and when.

    `session` is the id of the one that needed them, `name` and `project` its own, `run` its last
    launch at that time: once it was launched again, it has what was reclaimed for it. `moved` is
    true if the reclaimed session only made room and continues on other GPUs.
    """

    at: datetime
    session: str
    name: str
    project: str
    run: Annotated[int, ADDED] = -1
    moved: bool = False


class Session(Model, frozen=True, kw_only=True):
    """One session, as everyone may see it: no token, no port, no process id.

    `run` counts its launches. `path` is where the ingress shows it, below a JupyterLab's base URL.
    `since` is when the present state began. `queue_position` is that in its project's queue,
    from 1; 0 while it is not queued. `expected` is when a queued one should start, where run times
    tell it. `ends` is the end of its maximum run time, set by the level `ends_by` of the policy.
    `idle` is None while it is used, or was a minute ago. `unmeasured` is why it cannot be found to
    be idle, though nothing shows that it is used; empty if it can. `actions` are what the caller
    may do to it now; `activity` is to see its signals and policy. `ending` is the state of open
    documents once it stops. For a snapshot, its pages save them by `saving`, and report as if it
    ended. `fallback` is the list of places of one that was launched with several. `listening` are
    the ports at which its programs accept connections of all accounts of its machine, of a session
    that was asked for by itself and runs on the controller's.
    """

    id: str
    spec: SessionSpec
    owner: str
    state: Open[State]
    since: datetime
    created: datetime
    path: str
    revision: str = ""
    run: int = 0
    goal: Open[Goal] = "run"
    reason: Reason | None = None
    placement: Placement | None = None
    isolation: Isolation | None = None
    started: datetime | None = None
    ended: datetime | None = None
    progress: tuple[Progress, ...] = ()
    exit: Exit | None = None
    usage: Usage | None = None
    queue_position: int = 0
    expected: Annotated[datetime | None, ADDED] = None
    reclaimed: Reclaim | None = None
    ends: datetime | None = None
    ends_by: str = ""
    ending: Ending | None = None
    idle: Idleness | None = None
    unmeasured: Annotated[str, ADDED] = ""
    kept: KeptAlive | None = None
    actions: tuple[Open[Action], ...] = ()
    saving: datetime | None = None
    fallback: Annotated[Fallback | None, ADDED] = None
    listening: Annotated[tuple[int, ...], ADDED] = ()

    @property
    def serves_pages(self) -> bool:
        """Whether there is a page to open once it runs."""
        return self.spec.serves_jupyter or bool(self.spec.ports)

    @property
    def is_saving(self) -> bool:
        """Whether its pages save before its processes are signalled."""
        return (
            self.state == "stopping" and self.ending is not None and self.ending.signalled is None
        )

    @property
    def preemptible(self) -> bool:
        """Return whether it may borrow, and may in turn be reclaimed."""
        return self.spec.kind != "interactive"

    @property
    def simulated(self) -> bool:
        """Return whether the session holds a simulated GPU."""
        return self.placement is not None and self.placement.simulated


class SessionQuery(Request, frozen=True, kw_only=True):
    """Filters and page of the list of sessions; empty means any.

    `state` may hold several, separated by commas. `cursor` is a page's `next`.
    """

    project: str = ""
    state: str = ""
    name: str = ""
    owner: str = ""
    limit: int = 1000
    cursor: str = ""


class LogQuery(Request, frozen=True, kw_only=True):
    """The requested part of the log of a session or `process`, at most `limit` bytes.

    It precedes `before`, a chunk's `earlier`, has `tail` lines, or follows a chunk's `cursor`.
    """

    cursor: str = ""
    before: str = ""
    tail: int = 0
    limit: int = 262_144
    process: int = 0


class LogChunk(Model, frozen=True, kw_only=True):
    """A part of a session's log; its cursors are opaque and survive rotation.

    `cursor` continues after it, `earlier` leads to what precedes `text`, empty where nothing is
    left. `missed`: lines right before `text` are lost. `ended` is true once no more will follow.
    """

    text: str
    cursor: str
    earlier: str = ""
    missed: bool = False
    ended: bool


class EndpointQuery(Request, frozen=True, kw_only=True):
    """A port of a session, 0: its Jupyter Server; `same_origin`: for the caller's JupyterLab."""

    port: int = 0
    same_origin: bool = False


class Endpoint(Model, frozen=True, kw_only=True):
    """Where the ingress reaches a session; it never leaves the account's own processes.

    `socket`, unless empty, is the path of a unix socket that leads there; host and port then only
    name it. `headers` go with every request. `ca` is the authority, as PEM, that signed the
    certificate of an `https` server; empty for those that the system trusts. `runtime` is the
    folder of its kernels' connection files, where their sockets can be reached; else empty.
    """

    host: str
    port: int
    scheme: Literal["http", "https"] = "http"
    base_url: str = "/"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    ca: str = ""
    socket: str = ""
    runtime: str = ""

    @property
    def authority(self) -> str:
        """Return host and port as in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
