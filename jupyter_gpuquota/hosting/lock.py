"""The folder of a controller: made, checked and locked."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ..control.files import private_folder
from ..errors import StorageFailed
from .locate import Location


def prepare(location: Location) -> None:
    """Make the controller's folder and those above it that are ours, for this account alone.

    Raises:
        StorageFailed: one cannot be made or written.
        NotAllowed: one belongs to another account.
    """
    above = [path for path in location.home.parents if path.is_relative_to(location.state_dir)]
    for folder in (*reversed(above), location.home):
        try:
            private_folder(folder)
        except OSError as error:
            raise _unusable(folder, error) from error


def lock(location: Location) -> int | None:
    """Take the controller's lock; None if another controller holds it.

    The kernel releases it when this process ends, however it ends; programs that this process
    starts do not inherit it. Raises StorageFailed.
    """
    try:
        held = os.open(location.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(location.home, error) from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    os.ftruncate(held, 0)
    os.write(held, f"{os.getpid()}\n".encode())
    return held


def holder(location: Location) -> int | None:
    """Return the process of the controller that holds the lock; None if none does."""
    try:
        seen = os.open(location.lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(seen, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return int(os.read(seen, 32) or b"0")
    finally:
        os.close(seen)
    return None


def _unusable(folder: Path, error: OSError) -> StorageFailed:
    return StorageFailed(
        f"The state folder {folder} cannot be used: {error.strerror}.",
        hint="Make it writable, or name another one in GpuQuota.state_dir.",
    )
