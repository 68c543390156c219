"""The memory backend: demo nodes, and sessions without processes.

Its state is lost when its controller ends.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from .. import accounts
from ..control.assembly import Plugin, Runtime, make_backend, make_resident
from ..control.board import Board
from ..control.capabilities import BoardInventory
from ..control.clock import Clock
from ..control.config import GpuQuota
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.opening import LOCAL, open_lake
from ..control.idle.activity_poller import Readings
from ..control.inventory import Inventory
from ..control.resident import Report
from ..control.signals.presence import Presence
from ..control.snapshots.assembly import SnapshotParts
from ..control.volumes.kept import KeptVolumes
from ..control.volumes.restored import RestoredVolumes
from ..control.volumes.store import Measured, VolumeRecord
from ..control.worker import Pace
from ..core.idle.policy import Limits
from ..model.datasets.datasets import Lake
from ..model.environments import Environment, LaunchPlace
from ..model.idleness import PresenceRequest
from ..model.pods import ContainerRules
from ..model.sessions import Endpoint, Session, SessionRequest
from ..ports.backend import Backend, Differences
from ..store.lake.connection import in_memory
from ..store.lake.objects import Objects
from .cache import MemoryCache
from .config import MemoryConfig
from .jobs import Tasks
from .page import DemoServer
from .runner import MemoryRunner, MemoryStore
from .runs import MemoryRuns
from .snapshots import MemoryProcess


class MemoryVolumes:
    """Records of volumes that end with the controller."""

    def load(self) -> Iterable[VolumeRecord]:
        """Return nothing: a controller begins without volumes."""
        return ()

    def add(self, record: VolumeRecord) -> None:
        """Accept any volume: the records themselves are elsewhere."""

    def save(self, record: VolumeRecord) -> None:
        """Accept any change."""

    def remove(self, record: VolumeRecord) -> None:
        """Accept that it goes."""

    def tidy(self) -> None:
        """Do nothing: there are no files."""

    def folder(self, record: VolumeRecord) -> str:
        """Return where its files would be."""
        return record.folder or f"/demo/volumes/{record.project}/{record.name}"

    def problem(self, record: VolumeRecord) -> str:
        """Return that it can always be mounted."""
        return ""

    def limited(self, record: VolumeRecord) -> Measured | None:
        """Return that nothing is limited."""
        return None

    def measure(self, record: VolumeRecord, stopped: Callable[[], bool]) -> Measured:
        """Return that it is empty."""
        return Measured(used=0)


class MemoryFilling:
    """Volumes that get no files."""

    root = "/demo/volumes"

    def folder(self, record: VolumeRecord, order: str) -> str:
        """Return where its files would be."""
        return f"{self.root}/{record.project}/{record.name}/{order}"

    def begin(self, record: VolumeRecord, order: str) -> None:
        """Accept that it begins."""

    def complete(self, record: VolumeRecord, order: str) -> None:
        """Accept that it is complete."""

    def keep_only(self, orders: Collection[str]) -> None:
        """Do nothing: there are no files."""


class MemoryVariables:
    """The names of variables, and what was kept of them, by the ids of sessions."""

    def __init__(self) -> None:
        self.known: dict[str, Collection[str]] = {}
        self.kept: dict[str, tuple[str, ...]] = {}

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> dict[str, str]:
        """Keep variables that are known; return why others are not."""
        known = self.known.get(session_id, ())
        if not dump:
            self.kept[session_id] = tuple(name for name in names if name in known)
        return {name: "There is no such variable." for name in names if name not in known}

    async def forget(self, session_id: str, notebook: str) -> None:
        """Forget what was kept."""
        self.kept.pop(session_id, None)


LAKE = Lake(name=LOCAL, url="memory://local", default=True)


def open_data(board: Board, lake: Objects | None = None) -> tuple[Data, SnapshotParts]:
    """Return datasets and snapshots whose lake is in memory; `lake` replaces an empty one."""
    objects = lake or in_memory(LAKE.url)

    def opening(wanted: Lake) -> Objects:
        return objects if wanted == LAKE else open_lake(wanted)

    def now() -> datetime:
        return datetime.now(UTC)

    cache = MemoryCache(now)
    own = in_memory("memory://own")
    storage = Storage(own=own, folder=None, lake=LAKE, opening=opening, cache=cache)
    # Nothing runs when a controller starts, so nobody has to be waited for.
    made: list[Tasks] = []

    def launching(data: Data) -> Tasks:
        made.append(Tasks(data.job_board, cache, data.registry.objects))
        return made[0]

    data = Data(board, storage, launching, now, settling=timedelta())
    folders = made[0].folders
    process = MemoryProcess(data.job_board, folders, data.registry.objects)
    return data, SnapshotParts(board, data, own, None, process, folders)


PROJECT = "demo"
"""The default project, where none is configured."""

_ENVIRONMENT = Environment(
    id="demo", label="demo", prefix="/demo", python="/demo/bin/python", default=True
)


def open_memory(
    control: GpuQuota,
    config: MemoryConfig,
    home: Path,
    *,
    found: Inventory | None = None,
    clock: Clock | None = None,
    thread: Executor | None = None,
    lake: Objects | None = None,
) -> Backend:
    """Return a backend that stores nothing in `home`.

    `found` replaces the configured nodes, and `lake` the empty lake.
    """
    clock, board = clock or Clock(), Board()
    data, snapshots = open_data(board, lake)
    presence = Presence(clock, _no_notebook)
    server = DemoServer(board)
    runtime = Runtime(
        board=board,
        store=MemoryStore(board),
        runner=MemoryRunner(board, found or Inventory(config.inventory())),
        activity=PresenceAlone(presence),
        project=PROJECT,
        uses=presence,
        readiness=UpAtOnce(server),
        pace=Pace(calm=1.0),
    )
    if thread:
        runtime = replace(runtime, thread=thread)
    resident = make_resident(control, runtime, clock)
    inventory = MemoryInventory(board)
    key = secrets.token_bytes(32)
    backend = make_backend("memory", control, resident, inventory, [accounts.name()], key)
    volumes = KeptVolumes(board, MemoryVolumes(), resident)
    backend = replace(
        volumes.added_to(data.added_to(backend, resident)),
        ingress=MemoryIngress(board, server, presence),
        runs=MemoryRuns(),
        variables=MemoryVariables(),
        differences=Differences(outlives_controller=False),
    )
    snapshots.restore_to(RestoredVolumes(volumes, MemoryFilling()))
    return snapshots.added_to(backend, resident)


PLUGIN = Plugin(open_memory, MemoryConfig)


class MemoryInventory(BoardInventory):
    """Projects, demo nodes and one simulated environment; all options of containers."""

    source = "simulated"
    local_files = False
    containers = ContainerRules()

    async def environments(self) -> tuple[Environment, ...]:
        """Return the environments that sessions may start from."""
        return (_ENVIRONMENT,)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up a request: any folder and this Python's prefix are accepted."""
        known = request.environment in {"", _ENVIRONMENT.id, _ENVIRONMENT.prefix, sys.prefix}
        return LaunchPlace(
            environment=_ENVIRONMENT if known else None, folder=request.folder or "/demo"
        )


class MemoryIngress:
    """Serves a page that explains that nothing is running."""

    def __init__(self, board: Board, server: DemoServer, presence: Presence) -> None:
        self._board = board
        self._server = server
        self._presence = presence

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where the page is served. Raises NotFound, WrongState, NotAllowed."""
        return self._server.endpoint(self._board.find(session_id), port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
        await self._presence.record(self._board.find(session_id), seen)


class PresenceAlone:
    """The only signal of sessions without processes: use of their page."""

    def __init__(self, presence: Presence) -> None:
        self._presence = presence

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Readings:
        """Return when each session's page was last used."""
        self._presence.keep_only(session.id for session in sessions)
        return {session.id: [self._presence.reading(session)] for session in sessions}

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


class UpAtOnce:
    """Readiness of sessions that run at once; owns the server of their page."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server

    def follow(self, sessions: Sequence[Session], report: Report) -> None:
        """Do nothing: the sessions are running already."""

    async def close(self) -> None:
        """Stop the server of the page."""
        await self._server.close()


async def _no_notebook(session: Session, path: str) -> str:
    return ""
