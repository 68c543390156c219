"""A job's process is detached from its starter."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import StorageFailed
from jupyter_gpuquota.store.spawn import KEPT, spawn
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


def inodes(pid: int) -> Iterator[int]:
    """Yield the inodes of what a process has open."""
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            yield path.stat().st_ino


async def test_it_is_a_group_of_its_own_with_its_own_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        os.set_inheritable(listening.fileno(), True)  # noqa: FBT003 (the name is in the method)
        words = ["--cache", str(tmp_path / "cache"), "--report=lines"]
        started = spawn("index", words, state_dir=tmp_path, job="j1")
        assert os.getsid(started.pid) == os.getpgid(started.pid) == started.pid
        assert os.fstat(listening.fileno()).st_ino not in set(inodes(started.pid))
        await wait_for(lambda: started.exit_code() is not None)
    assert started.exit_code() == 0, started.said()
    assert started.log == tmp_path / "data" / "jobs" / "j1.log"
    assert started.log.stat().st_mode & 0o777 == 0o600
    assert '"state":"done"' in started.said()


async def test_old_logs_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "jobs"
    folder.mkdir(parents=True)
    for number in range(KEPT + 5):
        (folder / f"old-{number}.log").touch()
        os.utime(folder / f"old-{number}.log", (number, number))
    started = spawn("index", ["--help"], state_dir=tmp_path, job="new")
    await wait_for(lambda: started.exit_code() is not None)
    left = {path.name for path in folder.iterdir()}
    assert "old-4.log" not in left
    assert {"old-5.log", "new.log"} <= left


async def test_a_state_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed, match="The job cannot be started: Not a directory"):
        spawn("index", [], state_dir=tmp_path / "file")
