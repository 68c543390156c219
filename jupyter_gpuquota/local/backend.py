"""Sessions as processes of this machine: the local backend."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..control.activity_poller import ActivitySource
from ..control.assembly import Plugin, Runtime, make_backend, make_resident
from ..control.board import Board
from ..control.clock import Clock
from ..control.config import GpuQuota
from ..control.files import write_file, writing
from ..control.signals.presence import Presence
from ..control.worker import Pace
from ..model.sessions import Session
from ..ports.backend import Backend
from .capabilities import LocalExec, LocalIngress, LocalInventory, LocalLogs, account_of
from .config import LocalConfig
from .devices import Devices, find_devices
from .folders import prepare
from .quota import own_project
from .readiness import Readiness
from .runner import LocalRunner
from .signals.notebooks import fingerprint
from .signals.signals import Signals
from .state import State

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
    """Return the backend of the folder `home`; nothing is done before its resident starts.

    Clock, devices and what reads activity are this machine's own unless they are given.
    Raises StorageFailed.
    """
    prepare(home)
    key = _session_key(home / _KEY)
    clock, devices = clock or Clock(), devices or find_devices(config)
    board = Board()
    state = State(home, board)
    runner = LocalRunner(config, state, devices, key)
    presence = Presence(clock, _fingerprint)
    board.warn("devices", (devices.problem,))
    resident = make_resident(
        control,
        Runtime(
            board=board,
            store=state,
            runner=runner,
            activity=activity or Signals(state.folder, devices, clock, presence),
            project=own_project(),
            history=home / "history.sqlite",
            readiness=Readiness(state.folder),
            pace=Pace(poll=config.poll_interval if devices.measured else None),
        ),
        clock,
    )
    inventory = LocalInventory(board, config, devices)
    backend = make_backend("local", control, resident, inventory, [account_of(home)], key)
    return replace(
        backend,
        logs=LocalLogs(board, state),
        exec=LocalExec(board, state, runner),
        ingress=LocalIngress(board, state, presence),
    )


PLUGIN = Plugin(
    open_local,
    LocalConfig,
    refuses={"https": "all sessions would run as the controller's account"},
)


async def _fingerprint(session: Session, path: str) -> str:
    return await asyncio.to_thread(fingerprint, session.spec.folder, path)


def _session_key(path: Path) -> bytes:
    """Return the secret that sessions' tokens are made with; made at the first time.

    Raises StorageFailed.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    key = secrets.token_bytes(32)
    with writing(path):
        write_file(path, key)
    return key
