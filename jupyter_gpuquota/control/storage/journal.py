"""Append-only files of lines, each written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .files import write_file


class Journal:
    """One file of lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._end = 0

    def read(self) -> list[bytes]:
        """Return the lines, without one that a crash has cut off. Raises OSError."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        self._end = data.rfind(b"\n") + 1
        return data[: self._end].split(b"\n")[:-1]

    def append(self, lines: Iterable[bytes]) -> None:
        """Add lines after those that were read. Raises OSError; then none was added."""
        data = _joined(lines)
        fd = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        with open(fd, "wb", buffering=0) as file:  # noqa: PTH123 (a descriptor, not a path)
            try:
                os.ftruncate(fd, self._end)
                file.seek(self._end)
                _write_all(fd, data)
                os.fsync(fd)
            except OSError:
                os.ftruncate(fd, self._end)
                raise
        self._end += len(data)

    def replace(self, lines: Iterable[bytes]) -> None:
        """Replace all lines. Raises OSError; then nothing has changed."""
        data = _joined(lines)
        write_file(self.path, data)
        self._end = len(data)


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
