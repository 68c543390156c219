"""A newer version takes over a state folder in one step, whatever older clients do meanwhile."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import jupyter_gpuquota
from jupyter_gpuquota import Client, __version__
from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.client.connection.protocol import Call, encode
from jupyter_gpuquota.client.connection.transport import SocketTransport
from jupyter_gpuquota.hosting import takeover
from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.lock import prepare
from jupyter_gpuquota.hosting.takeover import Version
from jupyter_gpuquota.model.about import API_VERSION
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.server.gateway import Gateway
from jupyter_gpuquota.server.upstreams import OwnController
from tests.chosen import location
from tests.controller.launcher import Launcher, eventually
from tests.waiting import patience

OLD = "0.0.1"

ASKS = """
import sys
from pathlib import Path
from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import VersionMismatch
state, end, ready = map(Path, sys.argv[1:])
while not end.exists():
    try:
        found = Client(state_dir=state).about().version
    except VersionMismatch:
        found = "another"
    ready.write_text(found)
print(found)
"""


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A folder with an older version of the package, to be the first on PYTHONPATH."""
    folder = tmp_path / "older"
    package = folder / "jupyter_gpuquota"
    whole = Path(jupyter_gpuquota.__file__).parent
    shutil.copytree(whole, package, ignore=shutil.ignore_patterns("labextension", "__pycache__"))
    (package / "_version.py").write_text(f'__version__ = "{OLD}"\n')
    return folder


@contextmanager
def asking(older: Path, state: Path, tmp_path: Path) -> Iterator[list[str]]:
    """Run three older clients that send requests continuously; yield their output once they end."""
    end, said = tmp_path / "end", []
    env = {**os.environ, "PYTHONPATH": str(older)}
    notes = [tmp_path / f"ready-{number}" for number in range(3)]
    clients = [
        subprocess.Popen(
            [sys.executable, "-c", ASKS, state, end, note],
            env=env,
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for note in notes
    ]
    try:
        eventually(lambda: all(note.exists() for note in notes))
        yield said
        end.touch()
        said += [client.communicate(timeout=patience())[0].strip() for client in clients]
    finally:
        for client in clients:
            client.kill()
            client.communicate()


@pytest.mark.parametrize("api", [API_VERSION, API_VERSION - 1])
def test_older_clients_neither_fail_nor_bring_the_older_controller_back(older, tmp_path, api):
    about = older / "jupyter_gpuquota" / "model" / "about.py"
    text = about.read_text()
    about.write_text(text.replace(f"API_VERSION = {API_VERSION}", f"API_VERSION = {api}"))
    state = tmp_path / "state"
    launcher = Launcher(state)
    try:
        with asking(older, state, tmp_path) as said:
            client = Client(state_dir=state)
            assert client.about().version == __version__
            pid = subprocess.check_output(["cat", location(state).lock])
            time.sleep(1)  # in which older clients ask on
            assert client.about().version == __version__
            assert subprocess.check_output(["cat", location(state).lock]) == pid
        assert said == [__version__ if api == API_VERSION else "another"] * 3
        log = location(state).log.read_text()
        assert log.count(f"version {OLD} started") == 1
        assert log.count(f"version {__version__} started") == 1
    finally:
        launcher.ask("POST", "/retire")


def test_while_a_newer_version_takes_over_nothing_is_started(launcher):
    here = launcher.location
    prepare(here)
    here.successor.write_bytes(b'{"version": "999.0", "api": 999}')
    process = launcher.start()  # started a moment before, it has the lock too late
    assert process.wait(patience()) == 0
    assert not here.log.exists()
    os.utime(here.successor, (0, 0))  # the newer version never came
    launcher.start()
    assert launcher.answering()["version"] == __version__
    assert not here.successor.exists()


class Finder:
    """What finds the controller; it was there the first time, and has left since."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.asked = 0

    def __call__(self, where: Location) -> Path:
        self.asked += 1
        if self.asked == 2:
            self.launcher.start()
            self.launcher.answering()
        return where.socket


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.close()


def replace(launcher: Launcher) -> None:
    """Make another process respond on the same socket."""
    launcher.processes[-1].terminate()
    assert launcher.processes[-1].wait(patience()) == 0
    launcher.start()
    launcher.answering()


def test_clients_look_again_where_it_left_and_compare_where_another_answers(launcher):
    finder = Finder(launcher)
    transport = SocketTransport(launcher.location, ensure=finder)
    asked = encode(Call("about.get"))
    assert transport.send(asked).status == 200
    assert transport.send(asked).status == 200
    assert finder.asked == 2
    replace(launcher)
    assert transport.send(asked).status == 200
    assert finder.asked == 3


@pytest.mark.asyncio
async def test_gateways_do_the_same(launcher):
    finder = Finder(launcher)
    gateway = Gateway(OwnController(launcher.location, finder))
    asked = ApiRequest(route("about.get"))
    try:
        assert (await gateway.dispatch(asked)).status == 200
        assert (await gateway.dispatch(asked)).status == 200
        assert finder.asked == 2
        await asyncio.to_thread(replace, launcher)
        assert (await gateway.dispatch(asked)).status == 200
        assert finder.asked == 3
    finally:
        gateway.close()


@pytest.mark.parametrize(
    ("one", "other", "newer"),
    [
        (Version("1.10", 2), Version("1.9", 2), True),
        (Version("1.9", 2), Version("1.10", 2), False),
        (Version("1.9", 2), Version("1.9", 2), False),
        (Version("1.0", 3), Version("9.0", 2), True),
        (Version("9.0", 2), Version("1.0", 3), False),
        (Version("of no order", 2), Version("1.0", 2), False),
    ],
)
def test_which_version_is_newer(one, other, newer):
    assert one.is_newer_than(other) is newer


def test_a_note_that_cannot_be_read_says_nothing(launcher):
    prepare(launcher.location)
    for text in (b"", b"\xff", b"[]"):
        launcher.location.successor.write_bytes(text)
        assert takeover.newer(launcher.location) == ""
