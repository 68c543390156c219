"""Files below a folder: what a path names there, and nothing elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_gpuquota.beneath import open_beneath


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner/file").write_text("inside")
    (tmp_path / "secret").write_text("outside")
    (folder / "link").symlink_to("../secret")
    (folder / "absolute").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to("..")
    (folder / "again").symlink_to("inner")
    return folder


def test_a_file_is_opened(folder: Path) -> None:
    with os.fdopen(open_beneath(folder, "inner/file")) as file:
        assert file.read() == "inside"


@pytest.mark.parametrize(
    "path",
    [
        *("link", "absolute", "up/secret", "again/file"),
        *("../secret", "inner/../../secret", "/etc/passwd", "", ".", "inner/", "a\0b"),
    ],
)
def test_nothing_else_is_opened(folder: Path, path: str) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match=r"\w"):
        open_beneath(folder, path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_pipe_does_not_block(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    os.close(open_beneath(folder, "pipe"))
