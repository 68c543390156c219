"""A controller that takes and restores snapshots, and dies at a step with all of its processes.

    python -m tests.jobs.snapshots.controlled HOME STEP WORK

WORK is `take`, `restore` or `rest`: nothing but what an earlier one has begun. Each
request to a lake, each change of a folder and each call of a session is two steps. It prints
`asked` once work was accepted, and what there is at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.datasets.assembly import Data, Storage
from jupyter_gpuquota.control.datasets.launching import Order
from jupyter_gpuquota.control.snapshots.assembly import SnapshotParts
from jupyter_gpuquota.control.snapshots.folders import DiskFolders
from jupyter_gpuquota.control.snapshots.orders import LaunchedProcess
from jupyter_gpuquota.control.volumes.kept import KeptVolumes
from jupyter_gpuquota.control.volumes.restored import RestoredVolumes
from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.jobs.caches import copy
from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import restore, snapshot
from jupyter_gpuquota.local.datasets import FillingVolumes
from jupyter_gpuquota.local.volumes.store import FolderVolumes
from jupyter_gpuquota.memory.cache import MemoryCache
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.programs import ExecRequest, ExecResult
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from jupyter_gpuquota.model.snapshots.orders import MountedVolume, SnapshotOrder
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRequest
from jupyter_gpuquota.model.struct import problem_of
from jupyter_gpuquota.ports.snapshots import RestoreOrder
from jupyter_gpuquota.store.lake.connection import connect
from tests.builders import NOW, make_session
from tests.storms.lake.program import NEVER, Mortal
from tests.waiting import wait_for

OWNER = "ana"
SHARED = "shared"
"""A volume of the session: a folder of the home."""
MOMENT = 0.1
"""Seconds in which processes report: there are none."""


class Steps:
    """Counts steps, and kills this process at one of them."""

    def __init__(self, last: int) -> None:
        self.made = 0
        self._last = last

    def __call__(self) -> None:
        """Note a step."""
        if self.made == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.made += 1


class MortalObjects(Mortal):
    """The objects of a lake; its requests are steps."""

    def __init__(self, url: str, step: Steps) -> None:
        super().__init__(connect(url), NEVER)
        # It stands for the method of the class, whose steps are counted.
        self._step = step  # type: ignore[method-assign]


class MortalFolders(DiskFolders):
    """Folders; their changes are steps."""

    def __init__(self, step: Steps) -> None:
        self._step = step

    def remove(self, folder: str) -> None:
        """Remove a folder, one entry first."""
        self._step()
        for each in list(Path(folder).glob("*.txt"))[:1]:
            each.unlink()
            self._step()
        super().remove(folder)
        self._step()


class DiskSessions:
    """Sessions that are remembered, and never run."""

    def __init__(self, home: Path, step: Steps) -> None:
        self._folder = home / "sessions"
        self._folder.mkdir(exist_ok=True)
        self._step = step

    def all(self) -> tuple[Session, ...]:
        """Return all sessions."""
        bodies = [each.read_bytes() for each in sorted(self._folder.glob("*.json"))]
        return tuple(msgspec.json.decode(body, type=Session) for body in bodies)

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        """Remember a session."""
        made = make_session(spec.name, owner=owner, folder=spec.folder)
        part = self._folder / f"{spec.name}.part"
        part.write_bytes(msgspec.json.encode(made))
        self._step()
        part.rename(self._folder / f"{spec.name}-{len(self.all())}.json")
        self._step()
        return made


class DiskVolumes(RestoredVolumes):
    """Volumes that are remembered by their folders; what completes them are two steps."""

    def __init__(self, home: Path, step: Steps) -> None:
        filling = FillingVolumes(home)
        # A stand-in for the resident state of volumes.
        super().__init__(cast("KeptVolumes", None), filling)
        self._files = filling
        self._stored = FolderVolumes(home)
        self._step = step

    def sizes(self, project: str) -> dict[str, int]:
        """Return that there are none."""
        return {}

    def has(self, record: VolumeRecord) -> bool:
        """Return whether a volume is complete."""
        return record in list(self._stored.load())

    async def complete(self, record: VolumeRecord, order: str) -> None:
        """Make it a volume, with a step after its first file was moved."""
        folder = Path(self.folder(record, order))
        for each in sorted(folder.glob("*"))[:1]:
            each.rename(folder.parent / each.name)
            self._step()
        self._files.complete(record, order)
        self._step()


class Hooks:
    """Runs the hook of the session: what it was told is in a file."""

    def __init__(self, home: Path, step: Steps) -> None:
        self._file = home / "hook"
        self._step = step

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Note the word."""
        self._step()
        with self._file.open("a") as file:
            file.write(request.command[-1].split()[-1] + "\n")
        self._step()
        return ExecResult(exit_code=0, output="")

    def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[Any]:
        """Never called."""
        raise NotImplementedError


class Launched:
    """Runs jobs in this process: they die with it."""

    def __init__(self, data: Data, step: Steps) -> None:
        self._data = data
        self._step = step
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, order: Order) -> None:
        """Start a job."""
        self._step()
        task = asyncio.create_task(self._run(order))
        self._tasks.add(task)

    def check(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Stop all jobs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, order: Order) -> None:
        job = Job(order.id, JobReport(kind=order.kind, state="running"), LinesReporter(order.id))
        try:
            await self._work(job, order)
            report = job.report("done")
        except GpuQuotaError as error:
            report = msgspec.structs.replace(job.report("failed"), problem=problem_of(error))
        self._step()
        await self._data.job_board.report(order.id, report, order.user)

    async def _work(self, job: Job, order: Order) -> None:
        assert order.lake
        url = order.lake.url
        if order.kind == "restore":
            first, *others = order.trees
            named = {"lake": url, "credentials": None, "folder": first.folder, "variables": False}
            also = [(each.tree, each.folder) for each in others]
            await restore.run(job, argparse.Namespace(**named, tree=copy(first.tree), also=also))
        else:
            wanted = msgspec.json.decode(Path(order.file).read_bytes(), type=SnapshotOrder)
            made = await snapshot.take(job, wanted, MortalObjects(url, self._step), url)
            job.note(version=made)


class Controller:
    """The snapshots of one home, and a session in its folder `work`."""

    def __init__(self, home: Path, step: Steps) -> None:
        self.home = home
        own = MortalObjects((home / "own").as_uri(), step)
        lake = Lake(name="main", url=(home / "lake").as_uri(), default=True)
        board = Board()
        self.session = make_session(
            owner=OWNER, state="running", folder=str(home / "work"), environment=""
        )
        board.show(self.session)
        storage = Storage(
            own=own,
            folder=home / "own",
            lake=lake,
            opening=lambda each: MortalObjects(each.url, step),
            cache=MemoryCache(lambda: NOW),
        )
        launching = partial(Launched, step=step)
        self.data = Data(board, storage, launching, settling=timedelta())
        process = LaunchedProcess(self.data.launcher, self.data.registry.lakes, no_secrets)
        folders = MortalFolders(step)
        shared = MountedVolume(volume=SHARED, path=f"/{SHARED}", folder=str(home / "shared"))
        mounted = (shared,) if (home / "shared").is_dir() else ()
        self.parts = SnapshotParts(
            board,
            self.data,
            own,
            home / "own",
            process,
            folders,
            lambda _session, _wanted: {"mounted": mounted},
            MOMENT,
        )
        self.parts.restore_to(DiskVolumes(home, step))
        self.sessions = DiskSessions(home, step)
        # A stand-in with only what restores ask of sessions.
        self.parts._restores.sessions = self.sessions  # type: ignore[assignment]
        self.parts._hook.exec = Hooks(home, step)

    async def start(self) -> None:
        """Begin."""
        await self.data.start()
        await self.parts.start()
        await self.parts.registry.refresh()

    async def close(self) -> None:
        """End."""
        await self.parts.close()
        await self.data.close()

    async def take(self) -> None:
        """Take a snapshot."""
        request = SnapshotRequest(note="why")
        await self.parts.snapshots.create(self.session, request, OWNER, "request")
        _asked()

    async def restore(self) -> None:
        """Restore the newest snapshot with a session."""
        newest = next(each for each in self.parts.snapshots.all() if each.state == "ready")
        manifest = await self.parts.snapshots.manifest(newest)
        assert manifest
        folder = str(self.home / "new")
        order = RestoreOrder(
            snapshot=newest,
            manifest=manifest,
            folder=folder,
            name="new",
            owner=OWNER,
            spec=msgspec.structs.replace(manifest.spec, folder=folder),
            claims={SHARED: f"new-{SHARED}"} if manifest.volumes else {},
        )
        await self.parts.snapshots.restores.begin(order)
        _asked()

    async def rest(self) -> None:
        """Do nothing."""

    async def settled(self) -> None:
        """Wait until nothing goes on."""
        await wait_for(lambda: not self._active())

    def shown(self) -> dict[str, Any]:
        """Return what there is."""
        return {
            "snapshots": [each.id for each in self.parts.snapshots.all() if each.state == "ready"],
            "failed": [each.id for each in self.parts.snapshots.all() if each.state == "failed"],
            "restores": [
                [each.state, each.folder, each.session]
                for each in self.parts.snapshots.restores.all()
            ],
            "sessions": [each.spec.folder for each in self.sessions.all()],
        }

    def _active(self) -> bool:
        making = any(each.state == "making" for each in self.parts.snapshots.all())
        orders = any((self.home / "own/snapshots/orders").glob("*.json"))
        return making or orders or any(e.active for e in self.parts.snapshots.restores.all())


async def no_secrets(_session: str) -> list[str]:
    """Return the secrets of a session: none."""
    return []


def _asked() -> None:
    print("asked", flush=True)  # noqa: T201 (the test reads it)


async def _run(home: Path, last: int, work: str) -> None:
    steps = Steps(last)
    controller = Controller(home, steps)
    await controller.start()
    await getattr(controller, work)()
    await controller.settled()
    shown = controller.shown()
    await controller.close()
    print(json.dumps({**shown, "steps": steps.made}), flush=True)  # noqa: T201 (the test reads it)


def main(argv: Sequence[str]) -> int:
    """Run; return the exit code."""
    home, last, work = argv
    asyncio.run(_run(Path(home), int(last), work))
    return 0
