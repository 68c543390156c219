"""A file of lines: each is on disk whole, or was never added."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.control.storage.journal import Journal


def test_lines_are_added_and_found_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lines")
    assert journal.read() == []
    journal.replace([b"one"])
    journal.append([b"two", b"three"])
    again = Journal(tmp_path / "lines")
    assert again.read() == [b"one", b"two", b"three"]
    again.append([b"four"])
    assert Journal(tmp_path / "lines").read() == [b"one", b"two", b"three", b"four"]


def test_a_truncated_line_is_skipped_and_does_not_block_later_ones(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    journal = Journal(path)
    assert journal.read() == [b"one"]
    journal.append([b"two"])
    assert path.read_bytes() == b"one\ntwo\n"


def test_what_cannot_be_added_leaves_what_was_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lines")
    journal.replace([b"one"])
    (tmp_path / "lines").unlink()
    with pytest.raises(OSError, match="No such file"):
        journal.append([b"two"])
    journal.replace([b"one", b"two"])
    assert journal.read() == [b"one", b"two"]
