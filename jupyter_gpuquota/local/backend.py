"""The local backend: sessions as processes of this machine."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..control.assembly import Plugin, Runtime, make_backend, make_resident
from ..control.board import Board
from ..control.clock import Clock
from ..control.config import GpuQuota
from ..control.idle.activity_poller import ActivitySource
from ..control.inside.kernel_variables import SessionKernelVariables
from ..control.runs.measured import MeasuredRuns
from ..control.signals.presence import Presence
from ..control.storage.files import write_file, writing
from ..control.storage.state_folder import make_state_folder
from ..control.volumes.kept import KeptVolumes
from ..control.worker import Pace
from ..model.sessions import Session
from ..ports.backend import Backend
from .account import account_project, owner_of
from .capabilities import LocalExec, LocalIngress, LocalInventory, LocalLogs
from .config import LocalConfig
from .datasets import cache_root, open_data, open_snapshots
from .gpus.devices import Devices, find_devices
from .runner import LocalRunner
from .runs import open_runs
from .sessions.readiness import Readiness
from .signals.notebooks import fingerprint
from .signals.signals import Signals
from .state.state import State
from .volumes.store import FolderVolumes

_KEY = "token.key"


def open_local(
    control: GpuQuota,
    config: LocalConfig,
    home: Path,
    *,
    clock: Clock | None = None,
    devices: Devices | None = None,
    activity: ActivitySource | None = None,
) -> Backend:
    """Return the backend of the state folder `home`; its resident is not started yet.

    Clock, devices and activity source default to those of this machine. Raises StorageFailed.
    """
    make_state_folder(home)
    key = _session_key(home / _KEY)
    clock, devices, board = clock or Clock(), devices or find_devices(config), Board()
    state = _state(home, board, key, control)
    runner = LocalRunner(config, state, devices, key, cache_root(config, home))
    presence, data = Presence(clock, _fingerprint), open_data(board, config, home)
    board.warn("devices", (devices.problem,))
    resident = make_resident(
        control,
        Runtime(
            board=board,
            store=state,
            runner=runner,
            activity=activity or Signals(state.folder, devices, clock, presence),
            project=account_project(),
            history=home / "history.sqlite",
            uses=presence,
            readiness=Readiness(state.folder),
            pace=Pace(poll=config.poll_interval if devices.measured else None),
        ),
        clock,
    )
    inventory = LocalInventory(board, config, devices)
    backend = make_backend("local", control, resident, inventory, [owner_of(home)], key)
    volumes = KeptVolumes(board, FolderVolumes(home), resident)
    runner.links.volume_folder = volumes.folder_of
    backend = _entered(backend, board, state, runner, presence)
    backend = volumes.added_to(data.added_to(backend, resident))
    snapshots = open_snapshots(board, data, home, state.folder, volumes)
    runs = MeasuredRuns(open_runs(board, state), resident.recorder.utilisation)
    return snapshots.added_to(replace(backend, runs=runs), resident)


def _entered(
    backend: Backend, board: Board, state: State, runner: LocalRunner, presence: Presence
) -> Backend:
    """Return the record of a backend whose sessions can be read and entered."""
    programs, ingress = LocalExec(board, state, runner), LocalIngress(board, state, presence)
    return replace(
        backend,
        logs=LocalLogs(board, state),
        exec=programs,
        ingress=ingress,
        variables=SessionKernelVariables(
            board.find, programs, ingress, lambda session: session.spec.folder
        ),
    )


def _state(home: Path, board: Board, key: bytes, control: GpuQuota) -> State:
    state = State(home, board)
    state.controller = control.controller
    state.files[home / _KEY] = key
    return state


PLUGIN = Plugin(
    open_local,
    LocalConfig,
    refuses={"https": "all sessions would run as the controller's account"},
)


async def _fingerprint(session: Session, path: str) -> str:
    return await asyncio.to_thread(fingerprint, session.spec.folder, path)


def _session_key(path: Path) -> bytes:
    """Return the secret from which sessions' tokens are derived, created on first use.

    Raises StorageFailed.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    key = secrets.token_bytes(32)
    with writing(path):
        write_file(path, key)
    return key
