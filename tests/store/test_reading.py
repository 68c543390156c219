"""Files are hashed whole, and never torn."""

from __future__ import annotations

import hashlib
from io import FileIO
from pathlib import Path
from typing import BinaryIO

import pytest

from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.store import reading
from jupyter_gpuquota.store.packs import PART


def test_a_large_file_has_a_hash_for_each_part(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(PART + 10)
        file.seek(PART)
        file.write(b"0123456789")
    content, _ = reading.whole(path, reading.hashed)
    first, second = bytes(PART), b"0123456789"
    assert content == reading.Content(
        PART + 10,
        hashlib.sha256(first + second).hexdigest(),
        (hashlib.sha256(first).hexdigest(), hashlib.sha256(second).hexdigest()),
    )


class Halting(FileIO):
    """A file of a file system that returns less than is wanted."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 0, 3))


def test_a_file_that_is_read_in_pieces_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"0123456789")
    with Halting(path) as file:
        content, body = reading.small_or_hashed(file)
    assert body == b"0123456789"
    assert (content.size, content.sha256) == (10, hashlib.sha256(body).hexdigest())


def test_a_file_that_is_written_meanwhile_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one")
    writes = iter([b"two, longer"])

    def read(file: BinaryIO) -> bytes:
        for more in writes:
            path.write_bytes(more)
        return file.read()

    content, stats = reading.whole(path, read)
    assert content == b"two, longer"
    assert stats.st_size == len(content)


def test_a_file_that_never_rests_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch()

    def read(_: BinaryIO) -> None:
        with path.open("ab") as file:
            file.write(b".")

    with pytest.raises(Conflict, match="changes while it is read"):
        reading.whole(path, read)
