"""Snapshots of a session on a fake API server, whose controllers a test interrupts at any call."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from zlib import compress

from msgspec.structs import replace

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.datasets.job_board import JobBoard, JobStore
from jupyter_gpuquota.control.datasets.opening import open_lake
from jupyter_gpuquota.control.snapshots.parts import MARK
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.builders.defaults import PodDefaults
from jupyter_gpuquota.kubernetes.builders.helper_pod import DataJobSettings
from jupyter_gpuquota.kubernetes.lease.keeper import LOST
from jupyter_gpuquota.kubernetes.resident.resident import Late
from jupyter_gpuquota.kubernetes.resources import CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES
from jupyter_gpuquota.kubernetes.snapshots.assembly import Cluster, ClusterSnapshotParts
from jupyter_gpuquota.kubernetes.snapshots.kinds import CLASSES, SNAPSHOTS
from jupyter_gpuquota.kubernetes.snapshots.order import Patience
from jupyter_gpuquota.kubernetes.snapshots.plan import PROVISIONER
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.programs import ExecRequest, ExecResult
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.charge import NotInCharge
from jupyter_gpuquota.store.lake.connection import in_memory
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi

NOTHING = MARK + b64encode(compress(b'{"patches": [], "problems": []}')).decode()
"""What the script says of a session that has nothing."""
TEAM, DRIVER = "team-a", "csi.example.org"
PATIENCE = Patience(ready=20.0, error=0.1, pause=0.01)
SESSION = make_session(state="running", volumes=(Mount(volume="work", path="/work"),))


def cluster(size: str = "1Gi") -> FakeApi:
    """Return an API server with a claim of that size, of a driver that makes snapshots."""
    api = FakeApi()
    api.controls.answers["/apis/snapshot.storage.k8s.io"] = {"versions": [{"version": "v1"}]}
    api.put(CLASSES, {"metadata": {"name": "csi"}, "driver": DRIVER})
    api.put(STORAGE_CLASSES, {"metadata": {"name": "fast"}, "provisioner": DRIVER})
    meta = {"name": "work", "namespace": TEAM, "annotations": {PROVISIONER[0]: DRIVER}}
    spec = {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"]}
    api.put(
        CLAIMS,
        {
            "metadata": meta,
            "spec": spec,
            "status": {"phase": "Bound", "capacity": {"storage": size}},
        },
    )
    return api


def cloning(size: str = "1Gi") -> FakeApi:
    """Return an API server with the same claim, of a driver that makes no snapshots."""
    api = cluster(size)
    api.controls.answers.pop("/apis/snapshot.storage.k8s.io")
    claim = api.raw(CLAIMS, TEAM, "work")
    api.put(CLAIMS, {**claim, "spec": {**claim["spec"], "volumeName": "pv"}})
    api.put(PERSISTENT_VOLUMES, {"metadata": {"name": "pv"}, "spec": {"csi": {"driver": DRIVER}}})
    return api


@asynccontextmanager
async def provisioned(api: FakeApi) -> AsyncIterator[None]:
    """Let a driver make the volumes that claims ask for."""

    async def work() -> None:
        while True:
            for each in api.all(CLAIMS):
                if not each.get("status"):
                    capacity = each["spec"]["resources"]["requests"]
                    api.put(CLAIMS, {**each, "status": {"phase": "Bound", "capacity": capacity}})
            await asyncio.sleep(0.01)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()


@asynccontextmanager
async def driven(api: FakeApi, restore_size: str | None = "1Gi") -> AsyncIterator[None]:
    """Let a driver make the snapshots that are asked for; it may leave out their size."""

    async def work() -> None:
        while True:
            for each in api.all(SNAPSHOTS):
                if not each.get("status", {}).get("readyToUse"):
                    status = {"readyToUse": True, "restoreSize": restore_size}
                    api.put(SNAPSHOTS, {**each, "status": status})
            await asyncio.sleep(0.01)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()


class Interrupted:
    """A connection on which something happens at a call, counted from 0.

    What happens may return a function that is called instead, then and later.
    """

    def __init__(self, api: FakeApi, number: int, happens: Callable[[], Any]) -> None:
        self.seen = 0
        self._api = api
        self._number = number
        self._happens = happens
        self._instead: Any = None

    @property
    def is_due(self) -> bool:
        """Whether it has happened."""
        return self.seen > self._number

    def __getattr__(self, name: str) -> Any:
        self.seen += 1
        if self.seen == self._number + 1:
            self._instead = self._happens()
        return self._instead or getattr(self._api, name)


class Launches:
    """Sessions that are launched, of all controllers."""

    def __init__(self) -> None:
        self.found: list[Session] = []

    def all(self) -> tuple[Session, ...]:
        return tuple(self.found)

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        made = replace(make_session(spec.name, owner=owner), spec=spec)
        self.found.append(made)
        return made


class Controller:
    """One controller; `lost` says why it is not in charge. Another one has the same folder."""

    def __init__(self, api: FakeApi, folder: Path, launches: Launches) -> None:
        self.lost = ""
        self.said: list[tuple[str, ...]] = []
        """What was run in the session."""
        self.late = Late("The cluster")
        self.use(api)
        self._board = Board()
        lake = Lake(name="main", url=(folder / "lake").absolute().as_uri())
        objects = open_lake(lake)
        self.parts = ClusterSnapshotParts(
            Cluster(
                api=cast("Api", self.late),
                defaults=PodDefaults(),
                board=self._board,
                jobs=JobBoard(
                    JobStore(in_memory("memory://own")),
                    lambda: datetime.now(UTC),
                    lambda: None,
                    _admitted,
                    self._ended,
                ),
                own=open_lake(Lake(name="own", url=(folder / "own").absolute().as_uri())),
                lakes=lambda: (lake,),
                objects=lambda _: objects,
                readers=DataJobSettings(image="reader"),
                patience=PATIENCE,
                lost=lambda: self.lost,
            )
        )
        nothing: Any = dict.fromkeys(each.name for each in fields(Backend))
        self.backend = self.parts.added_to(
            Backend(**{**nothing, "sessions": launches, "exec": self})
        )

    def warnings(self) -> tuple[str, ...]:
        """Return what its users are warned of."""
        return self._board.warnings()

    def use(self, api: Any) -> None:
        """Let it talk to a server by another connection."""
        self.late.found(api, lambda: self.lost)

    def lose(self) -> None:
        """Let another controller be in charge."""
        self.lost = LOST

    def lapse(self) -> None:
        """Let nobody be in charge for a moment."""
        self.lost = LOST
        asyncio.get_running_loop().call_later(0.05, self.regain)

    def regain(self) -> None:
        """Let it be in charge again."""
        self.lost = ""

    def die(self) -> Callable[..., Any]:
        """Return what is called by a controller that was killed: nothing of it has an effect."""

        async def never(*_: Any, **__: Any) -> None:
            await asyncio.Event().wait()

        return never

    async def execute(self, session: str, request: ExecRequest) -> ExecResult:
        """Run a program in the session."""
        if self.lost:
            raise NotInCharge(self.lost)
        self.said.append(request.command)
        looks = any("gpuquota_parts" in word for word in request.command)
        return ExecResult(exit_code=0, output=NOTHING if looks else "{}")

    def _ended(self, job: Job) -> None:
        self.parts.heard(job)


async def _admitted(_: Job) -> None:
    return None


@asynccontextmanager
async def running(api: FakeApi, folder: Path, launches: Launches) -> AsyncIterator[Controller]:
    """Run a controller."""
    made = Controller(api, folder, launches)
    await made.parts.start()
    try:
        yield made
    finally:
        await made.parts.close()
