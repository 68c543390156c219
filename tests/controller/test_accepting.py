"""A controller without free file descriptors: clients wait, and its log is not flooded."""

from __future__ import annotations

import resource
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from jupyter_gpuquota.hosting.unix import UnixConnection
from tests.controller.launcher import Launcher, eventually

CLIENTS = 40


@pytest.fixture
def launcher(tmp_path):
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.close()


@pytest.mark.parametrize("spare", [2, 12], ids=["the last ones", "a reserve is kept"])
def test_without_file_descriptors_clients_wait_and_nothing_is_flooded(launcher, spare):
    process = launcher.start()
    launcher.answering()
    log = launcher.location.log
    open_files = Path(f"/proc/{process.pid}/fd")
    most = len(list(open_files.iterdir())) + spare
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (most, hard))
    with ExitStack() as stack:
        for _ in range(CLIENTS):
            client = stack.enter_context(closing(UnixConnection(launcher.location.socket, 60)))
            client.connect()
        eventually(lambda: "cannot accept clients" in log.read_text())
        assert len(list(open_files.iterdir())) <= most - min(spare, most // 4)
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (hard, hard))
    assert launcher.answering()
    said = eventually(
        lambda: [x for x in log.read_text().splitlines() if "accepting clients again" in x]
    )
    assert len(said) == 1
    assert int(said[0].split()[-2]) < 30  # one attempt a second, not thousands
    assert log.read_text().count("cannot accept clients") == 1
    assert "Traceback" not in log.read_text()
    assert "started, process" in log.read_text()
