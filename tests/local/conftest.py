"""A local backend with simulated GPUs, whose sessions all end with the test."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.idle.activity_poller import ActivitySource
from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.local.folders.folders import SessionFolder
from jupyter_gpuquota.local.gpus.devices import Devices
from jupyter_gpuquota.local.shim import membership, procfs
from jupyter_gpuquota.local.shim.procfs import MARK
from jupyter_gpuquota.model.sessions import LIVE
from jupyter_gpuquota.ports.backend import Backend
from tests.chosen import on_local
from tests.local import driver
from tests.local.opening import open_backend
from tests.session_client import close_web_sockets
from tests.waiting import wait_for

__all__ = ["on_local", "wait_for"]

ROOT = Path(__file__).resolve().parents[2]

Start = Callable[..., "Elsewhere"]

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.local.driver"])


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    """Settings of both classes for a backend with two simulated nodes, and its folder `home`."""
    folder = tmp_path / "work"
    folder.mkdir()
    return {
        "home": str(tmp_path / "state"),
        "root_dir": str(folder),
        "devices": "simulated",
        "simulated_nodes": [{"name": "dgx1-1", "gpus": 4}, {"name": "dgx1-2", "gpus": 4}],
        "projects": [{"name": "team-a", "quota": "4"}, {"name": "team-b", "quota": "2"}],
        "stop_grace": 5.0,
    }


@pytest_asyncio.fixture
async def make(settings: dict[str, Any]) -> AsyncIterator[Callable[..., Any]]:
    """Start backends on one folder, one after another; the last one ends all sessions."""
    backends: list[Backend] = []

    async def start(
        found: Devices | None = None,
        activity: ActivitySource | None = None,
        clock: Clock | None = None,
        **changed: Any,
    ) -> Backend:
        wanted = {**settings, **changed}
        backend = open_backend(wanted, devices=found, activity=activity, clock=clock)
        backends.append(backend)
        await backend.resident.start()
        return backend

    yield start
    close_web_sockets()
    if backends:
        await end_all(backends[-1])


@pytest_asyncio.fixture
async def backend(make: Callable[..., Any]) -> Backend:
    return await make()


async def end_all(backend: Backend) -> None:
    """End every session and close the backend."""
    for session in backend.sessions.all():
        if session.state in {"waiting", *LIVE}:
            with suppress(WrongState):  # it has ended meanwhile
                await backend.sessions.stop(session.id)
    await wait_for(lambda: not any(s.state in LIVE for s in backend.sessions.all()))
    await backend.resident.close()


def folder_of(home: str | Path, session_id: str) -> SessionFolder:
    return SessionFolder(Path(home, "sessions", session_id))


def home_of(backend: Backend) -> Path:
    """Return the folder of a backend."""
    return backend.resident.worker._store.path


def marked(session_id: str) -> set[int]:
    """Return the living processes that carry a session's mark."""
    return membership.members(session_id, membership.Roots())


def marked_processes() -> dict[int, str]:
    """Map every process that carries a session's mark to that session."""
    marks = {stat.pid: procfs.mark_of(stat.pid) for stat in procfs.running()}
    return {pid: mark for pid, mark in marks.items() if mark}


class Elsewhere:
    """A backend in a process of its own, with a clock of its own."""

    def __init__(
        self, settings: dict[str, Any], clock: dict[str, float], prefix: Sequence[str]
    ) -> None:
        words = [json.dumps(settings), json.dumps(clock)]
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self._end = started(words, theirs, prefix)
            self._said, self._told = ours.makefile(), ours.makefile("w")

    def hear(self) -> Any:
        """Return its next answer; the first one reports whether it has started."""
        line = self._said.readline()
        assert line, "the backend's process has ended"
        return json.loads(line)

    def tell(self, *words: Any) -> None:
        """Send it a command."""
        self._told.write(json.dumps(words) + "\n")
        self._told.flush()

    def ask(self, *words: Any) -> Any:
        """Send it a command and return its answer."""
        self.tell(*words)
        return self.hear()

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self._end()
        self._said.close()
        self._told.close()


def started(words: list[str], channel: socket.socket, prefix: Sequence[str]) -> Callable[[], None]:
    """Start a driver on a channel; return what kills it."""
    if prefix:
        command = [*prefix, sys.executable, "-m", "tests.local.driver", *words]
        program = subprocess.Popen(
            command, cwd=ROOT, stdin=channel.fileno(), stdout=channel.fileno()
        )

        def end() -> None:
            program.kill()
            program.wait()

        return end
    process = FORKS.Process(
        target=driver.forked, args=(channel, words, dict(os.environ)), daemon=True
    )
    with pytest.MonkeyPatch.context() as patch:
        # multiprocessing brings the main module to its processes. None is needed here, and that of
        # an IPython in this process has no `__spec__`, which it asks for.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        process.start()

    def end_forked() -> None:
        process.kill()
        process.join()

    return end_forked


@pytest.fixture
def elsewhere(settings: dict[str, Any]) -> Iterator[Start]:
    """Start backends in processes of their own; what is left of them is killed at the end."""
    started: list[Elsewhere] = []

    def start(
        *, prefix: Sequence[str] = (), rate: float = 1.0, ahead: float = 0.0, **changed: Any
    ) -> Elsewhere:
        clock = {"rate": rate, "ahead": ahead}
        one = Elsewhere({**settings, **changed}, clock, prefix)
        started.append(one)
        one.started = one.hear()
        return one

    yield start
    for one in started:
        one.kill()


@pytest.fixture
def own_disk(tmp_path: Path) -> Callable[[str], list[str]]:
    """Make the command line that runs a program with a small disk mounted for it alone."""

    def words(options: str) -> list[str]:
        disk = tmp_path / "disk"
        disk.mkdir(exist_ok=True)
        mount = f"mount -t tmpfs -o {options} none '{disk}' && exec \"$@\""
        prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
        probe = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
        if probe.returncode:
            pytest.skip(f"this machine lets no user mount a disk: {probe.stderr.strip()}")
        return prefix

    return words


class Starts:
    """How many processes this one has started."""

    count = 0

    def __init__(self) -> None:
        sys.addaudithook(self._hear)  # no hook can be removed

    def _hear(self, event: str, _: Any) -> None:
        if event in {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty"}:
            self.count += 1


@pytest.fixture(scope="session")
def starts() -> Starts:
    return Starts()


@pytest.fixture(autouse=True)
def _no_process_is_left(
    tmp_path: Path, starts: Starts, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Fail, and end it, if a process of a session of this test lives on."""
    before = starts.count
    yield
    if starts.count == before and "elsewhere" not in request.fixturenames:
        return  # nothing was started
    mark = f"GPUQUOTA_STATE_DIR={tmp_path}/".encode()
    found = {pid: environment(pid) for pid in procfs.pids()}
    left = [pid for pid, variables in found.items() if mark in variables and MARK in variables]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def environment(pid: int) -> bytes:
    try:
        return procfs.read(pid, "environ")
    except OSError:
        return b""  # it has ended


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Return a folder that is not in memory, as `/tmp` may be."""
    with TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)
