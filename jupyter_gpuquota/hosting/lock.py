"""The state folder of a controller: made, checked and locked."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from ..errors import NotAllowed, StorageFailed

LOCK = "controller.lock"
SOCKET = "controller.sock"
LOG = "controller.log"


def prepare(folder: Path) -> None:
    """Make the folder, or check that it is ours alone.

    Raises:
        StorageFailed: it cannot be made or written.
        NotAllowed: it belongs to another account.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
        if found.st_uid != os.getuid():
            raise NotAllowed(
                f"The state folder {folder} belongs to another account.",
                hint="Name another one in LocalConfig.state_dir.",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise _unusable(folder, error) from error


def lock(folder: Path) -> int | None:
    """Take the folder's lock; None if another controller holds it.

    The kernel releases it when this process ends, however it ends; programs that this process
    starts do not inherit it. Raises StorageFailed.
    """
    try:
        held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    os.ftruncate(held, 0)
    os.write(held, f"{os.getpid()}\n".encode())
    return held


def _unusable(folder: Path, error: OSError) -> StorageFailed:
    return StorageFailed(
        f"The state folder {folder} cannot be used: {error.strerror}.",
        hint="Make it writable, or name another one in LocalConfig.state_dir.",
    )
