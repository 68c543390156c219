"""Create, check and lock the folder of a controller."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

import msgspec

from ..control.storage.state_folder import make_state_folder, unusable
from ..errors import StorageFailed
from ..store.disk.cures import NO_LOCKS, cure
from .locate import Location

_LONGEST_NOTE = 1024


class Holder(msgspec.Struct, frozen=True):
    """The controller that holds a lock: its process, machine, and boot id.

    All fields are empty if the note in the lock file is unreadable.
    """

    pid: int = 0
    host: str = ""
    boot: str = ""

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine, in any container."""
        return self.boot in {"", _boot()}

    @property
    def name(self) -> str:
        """The process and its machine, as text."""
        return f"process {self.pid} on {self.host}" if self.pid else "an unknown process"


def prepare(location: Location) -> None:
    """Create the controller's folder and its parents of ours, accessible to this account only.

    Raises:
        StorageFailed: one cannot be created or written.
        NotAllowed: one belongs to another account.
    """
    above = [path for path in location.home.parents if path.is_relative_to(location.state_dir)]
    for folder in (*reversed(above), location.home):
        make_state_folder(folder)


def lock(location: Location) -> int | None:
    """Take the controller's lock; None if another controller holds it.

    The kernel releases it when this process ends in any way; child processes do not inherit it.
    Raises StorageFailed.
    """
    held = _locked(location, location.lock)
    if held is None:
        return None
    try:
        note = msgspec.json.encode(Holder(os.getpid(), socket.gethostname(), _boot())) + b"\n"
        os.pwrite(held, note, 0)
        os.ftruncate(held, len(note))
    except OSError as error:
        os.close(held)
        raise unusable(location.home, error) from error
    return held


def lock_start(location: Location) -> int | None:
    """Take the lock of the client that starts the controller; None if another client starts it.

    It is released when it is closed, or when this process ends in any way. Raises StorageFailed.
    """
    return _locked(location, location.starting)


def is_in_place(location: Location, held: int) -> bool:
    """Return whether a held lock is still the lock file at the location."""
    try:
        there = location.lock.stat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(held))


def holder(location: Location) -> Holder | None:
    """Return the controller that holds the lock; None if none does. Raises StorageFailed."""
    try:
        seen = os.open(location.lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if _flock(location.lock, seen, fcntl.LOCK_SH):
            return None
        return msgspec.json.decode(os.read(seen, _LONGEST_NOTE), type=Holder)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Holder()  # being written, or written by an earlier version
    finally:
        os.close(seen)


def _locked(location: Location, path: Path) -> int | None:
    """Return a locked file of the controller's folder; None if another process has locked it."""
    try:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(location.home, error) from error
    try:
        is_ours = _flock(path, held, fcntl.LOCK_EX)
    except StorageFailed:
        os.close(held)
        raise
    if not is_ours:
        os.close(held)
        return None
    return held


def _flock(path: Path, number: int, kind: int) -> bool:
    """Return whether a lock could be taken. Raises StorageFailed if locks are unsupported."""
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        lacks = " Its file system lacks locks (flock)." if error.errno in NO_LOCKS else ""
        what = "" if lacks else f"{cure(error)}, or set"
        raise StorageFailed(
            f"{path} cannot be locked: {error.strerror}.{lacks}",
            hint=f"{what or 'Set'} GpuQuota.state_dir to a folder on a local disk.",
        ) from error
    return True


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
