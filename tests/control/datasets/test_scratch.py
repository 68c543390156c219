"""Folders for what can be made again: temporary ones do not pile up."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jupyter_gpuquota.control.datasets.files.spare import Scratch

KILLED = """
import os, signal
from jupyter_gpuquota.control.datasets.files.spare import Scratch

(Scratch(None, "made-").path() / "file").touch()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_what_killed_processes_have_left_goes_with_the_next_folder(temporary: Path) -> None:
    for _ in range(2):
        killed = subprocess.run([sys.executable, "-c", KILLED], check=False)
        assert killed.returncode == -signal.SIGKILL
        [left] = temporary.iterdir()
        assert (left / "file").exists()
    scratch = Scratch(None, "made-")
    assert [scratch.path()] == list(temporary.iterdir())
    scratch.close()
    assert not list(temporary.iterdir())


def test_threads_that_ask_at_once_have_one_folder(temporary: Path) -> None:
    scratch = Scratch(None, "made-")
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: scratch.path(), range(100)))
    assert found == set(temporary.iterdir())
    assert len(found) == 1
    scratch.close()


def test_a_folder_that_was_removed_is_made_again(temporary: Path) -> None:
    scratch = Scratch(None, "made-")
    scratch.path().rmdir()
    assert scratch.path().is_dir()
    scratch.path().rmdir()
    scratch.close()
    assert not list(temporary.iterdir())


def test_a_folder_that_was_named_stays(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "state" / "listings", "made-")
    (scratch.path() / "file").touch()
    scratch.close()
    assert (scratch.path() / "file").exists()
