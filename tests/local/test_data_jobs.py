"""Jobs on datasets with real processes: controllers and jobs are killed, and the next goes on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shell import Shell, opened, wait_for

CONFIG = {
    "LocalConfig": {"devices": "simulated", "simulated_nodes": [{"name": "dgx1-1", "gpus": 2}]},
    "GpuQuota": {"projects": [{"name": "team-a", "quota": "2"}]},
}
BIG = 64 << 30


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with opened(tmp_path_factory.mktemp("jobs"), CONFIG) as made:
        made.ok("quota")
        yield made


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """Return a folder with one file whose hashing takes very long; it takes no room."""
    folder = tmp_path / "big"
    folder.mkdir()
    with (folder / "zeros").open("wb") as file:
        file.truncate(BIG)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\n")
    return folder


def job(shell: Shell, name: str) -> dict[str, Any] | None:
    listed = shell.json("data", "jobs")["items"]
    return next((each for each in listed if each["id"] == name), None)


def state(shell: Shell, name: str) -> str:
    found = job(shell, name)
    return found["state"] if found else "unknown"


def controllers(shell: Shell) -> list[int]:
    return [each.pid for each in shell.processes("jupyter_gpuquota.controller")]


def start(shell: Shell, *words: object) -> str:
    """Start a job, and return its id."""
    return shell.ok("data", *map(str, words), "--detach").strip()


def test_a_killed_controller_learns_of_running_jobs(shell: Shell, big: Path, small: Path) -> None:
    shell.ok("data", "init", "faces")
    first = start(shell, "sync", "faces", big)
    wait_for(lambda: state(shell, first) == "running")
    second = start(shell, "sync", "faces", small)
    wait_for(lambda: state(shell, second) == "waiting")
    (before,) = controllers(shell)
    os.kill(before, signal.SIGKILL)
    # Whoever asks starts the next one. The second job must not begin before the first has reported.
    wait_for(lambda: state(shell, first) == "running")
    assert state(shell, second) in {"waiting", "unknown"}
    assert controllers(shell) != [before]
    wait_for(lambda: state(shell, second) == "waiting")
    found = job(shell, first)
    assert found is not None
    os.kill(found["pid"], signal.SIGKILL)
    wait_for(lambda: state(shell, first) == "lost")
    wait_for(lambda: state(shell, second) == "done")
    (version,) = shell.json("data", "versions", "faces")["items"]
    assert (version["files"], version["size"]) == (1, 6)


def test_a_copy_is_fetched_verified_and_cleared_by_processes(shell: Shell, small: Path) -> None:
    shell.ok("data", "init", "cats")
    shell.ok("data", "sync", "cats", str(small))
    shell.ok("data", "cache", "cats")
    tree = Path(shell.ok("data", "path", "cats").strip())
    assert [path.name for path in tree.iterdir()] == ["a.txt"]
    (tree / "a.txt").chmod(0o644)
    (tree / "a.txt").write_text("wrong\n")
    ran = shell("data", "verify", "cats")
    assert "a.txt" in ran.out + ran.err
    # It was in quarantine, and is fetched again.
    wait_for(lambda: (tree / "a.txt").read_text() == "alpha\n")
    shell.ok("data", "uncache", "cats")
    assert not tree.exists()
