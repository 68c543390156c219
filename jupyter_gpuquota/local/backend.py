"""The local backend: sessions as processes of this machine."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import stat
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from .. import accounts
from ..beneath import open_beneath
from ..control.assembly import Plugin, Runtime, make_backend, make_resident
from ..control.board import Board
from ..control.clock import Clock
from ..control.config import GpuQuota
from ..control.idle.activity_poller import ActivitySource
from ..control.inside.kernel_variables import SessionKernelVariables
from ..control.runs.measured import PATIENCE, MeasuredRuns, ScriptRuns
from ..control.signals.presence import Notebook, Presence, digest
from ..control.storage.files import write_file, writing
from ..control.storage.state_folder import make_state_folder
from ..control.volumes.kept import KeptVolumes
from ..control.worker import Pace
from ..core.fields import NAME_LIMIT
from ..errors import StorageFailed, Unavailable
from ..model.sessions import Session
from ..model.struct import decoded
from ..ports.backend import Backend
from .capabilities import LocalExec, LocalIngress, LocalInventory, LocalLogs
from .config import LocalConfig
from .datasets import cache_root, open_data, open_snapshots
from .gpus.devices import Devices, find_devices
from .runner import LocalRunner
from .sessions.launch_spec import of_controller
from .sessions.readiness import Readiness
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
    snapshots = open_snapshots(board, data, config, home, state.folder, volumes)
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
        listening=ingress.listening,
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


def account_project() -> str:
    """Return the name of our account's own project, derived from the account's name."""
    return re.sub(r"[^a-z0-9]+", "-", accounts.name().lower())[:NAME_LIMIT].strip("-") or "me"


def owner_of(folder: Path) -> str:
    """Return the name of the account that owns a folder, or its uid if it has no name."""
    try:
        return folder.owner()
    except KeyError:  # an account that only a container or directory service knows
        return str(folder.stat().st_uid)


def open_runs(board: Board, state: State) -> ScriptRuns:
    """Return what reads runs in the folder of a session, with the environment of its last run."""

    async def ask(session_id: str, words: tuple[str, ...]) -> str:
        session = board.find(session_id)
        launch = await asyncio.to_thread(state.folder(session).launch, session.run)
        env = of_controller(launch.env) if launch else {**os.environ, **session.spec.env}
        return await _output(words, session.spec.folder, env)

    return ScriptRuns(ask)


async def _output(words: tuple[str, ...], folder: str, env: dict[str, str]) -> str:
    """Return what this Python prints. Raises StorageFailed, Unavailable."""
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, cwd=folder, env=env, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
    except OSError as error:
        raise StorageFailed(
            f"{folder} cannot be used: {error.strerror}.", hint="Check that it is there."
        ) from error
    try:
        async with asyncio.timeout(PATIENCE):
            out, said = await process.communicate()
    except TimeoutError as error:
        text = f"Reading runs took longer than {PATIENCE} seconds."
        raise Unavailable(text, hint="Check MLFLOW_TRACKING_URI.") from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return (out or said).decode(errors="replace")


_LARGEST = 64 * 2**20


def fingerprint(folder: str, path: str) -> str:
    """Return a hash of the sources of a notebook below a folder; empty if it cannot be read."""
    try:
        content = _read(Path(folder).resolve(), path)
        return digest(decoded(content, Notebook).cells)
    except (OSError, ValueError, msgspec.DecodeError):
        return ""


def _read(folder: Path, path: str) -> bytes:
    """Read a file that is really inside the folder. Raises OSError, else ValueError."""
    whole = (folder / path.lstrip("/")).resolve(strict=True)
    if not whole.is_relative_to(folder):
        raise ValueError(path)
    number = open_beneath(folder, str(whole.relative_to(folder)))
    with os.fdopen(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise ValueError(path)
        return file.read(_LARGEST)
