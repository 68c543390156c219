"""A lake in a folder, and a folder to store in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import PART


@pytest.fixture
def lake(tmp_path: Path) -> Objects:
    (tmp_path / "lake").mkdir()
    return connect(f"file://{tmp_path}/lake")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "folder", PART + 5)


def fill(folder: Path, large: int) -> Path:
    """Make a folder of small files, and one of `large` bytes."""
    (folder / "train" / "empty").mkdir(parents=True)
    for number in range(300):
        (folder / "train" / f"{number}.txt").write_text(f"number {number % 100}")
    (folder / "train" / "none").touch()
    (folder / "first").symlink_to("train/0.txt")
    with (folder / "large").open("wb") as file:
        file.truncate(large)
    return folder
