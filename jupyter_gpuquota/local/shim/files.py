"""Write files atomically, and rotate logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically, readable by the account only."""
    new = path.with_name(f".{path.name}.new")
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
            file.write(data)
            file.flush()
            os.fsync(fd)
        new.rename(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def rotate(folder: Path, limit: int, keep: int) -> None:
    """Rotate a log that has reached `limit` bytes, keeping `keep` rotated files.

    Processes hold it open for appending, so it is copied, then emptied. Copies are named after
    the offset of their first byte; `log.base` holds that of `log`, and during a rotation also the
    next one (see `read_base`). On a full disk the copy is dropped, which frees space.
    """
    log = folder / "log"
    if not log.exists() or log.stat().st_size < limit:
        return
    base = read_base(folder)
    kept = [path for path in folder.glob("log.*") if path.suffix[1:].isdecimal()]
    for old in sorted(kept, key=lambda path: int(path.suffix[1:]))[: max(0, len(kept) + 1 - keep)]:
        old.unlink()
    copy = folder / f"log.{base}"
    with log.open("rb") as source:
        try:
            with copy.open("wb") as target:
                size = _copy_all(source, target, folder, base)
        except OSError:
            copy.unlink(missing_ok=True)
            size = os.fstat(source.fileno()).st_size
            _write_base(folder, f"{base} {base + size}")
        os.truncate(log, 0)
    _write_base(folder, f"{base + size}")
    if not keep:
        copy.unlink(missing_ok=True)


def _copy_all(source: BinaryIO, target: BinaryIO, folder: Path, base: int) -> int:
    """Copy a log until nothing is added meanwhile, and return its size."""
    for _ in range(100):
        while block := source.read(1 << 20):
            target.write(block)
        target.flush()
        _write_base(folder, f"{base} {base + target.tell()}")
        if os.fstat(source.fileno()).st_size == target.tell():
            break
    return target.tell()


def _write_base(folder: Path, text: str) -> None:
    new = folder / ".log.base.new"
    new.write_text(text)
    new.rename(folder / "log.base")


def read_base(folder: Path) -> int:
    """Return the offset, counted from the session's first byte, at which `log` begins."""
    try:
        first, *after = (int(word) for word in (folder / "log.base").read_text().split())
        size = (folder / "log").stat().st_size
    except FileNotFoundError:
        return 0
    return after[0] if after and size < after[0] - first else first
