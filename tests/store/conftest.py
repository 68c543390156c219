"""A lake in a folder, and a folder to store in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import PART, SMALL

TWO_PARTS = pytest.mark.parametrize("large", [PART + 5], ids=["two parts"])
"""For tests of files that are stored in several objects; to hash and write them takes long."""


@pytest.fixture
def lake(tmp_path: Path) -> Objects:
    (tmp_path / "lake").mkdir()
    return connect(f"file://{tmp_path}/lake")


@pytest.fixture
def large() -> int:
    """The bytes of the largest file: it is an object of its own."""
    return SMALL + 5


@pytest.fixture
def folder(tmp_path: Path, large: int) -> Path:
    return fill(tmp_path / "folder", large)


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
