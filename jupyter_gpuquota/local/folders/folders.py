"""The state folder, and the folder of each session in it, as docs/architecture.md draws them."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ...control.storage.files import sync_folder, write_file, writing
from ...control.storage.records import Record, read_record
from ...control.storage.state_folder import make_state_folder
from ...errors import StorageFailed
from ...model.sessions import Session
from ...model.struct import Model, decoded
from ...unix_paths import make_private

_log = logging.getLogger(__name__)

T = TypeVar("T")


TOKEN = "token"  # noqa: S105 (the name of a file)
"""The session's own token, in its runtime folder."""


class Launch(Model, frozen=True, kw_only=True):
    """What the shim starts. It contains the session's tokens, so only the account may read it.

    `run` is the session's; every note of a shim carries it, so that notes of an earlier run are
    recognised. `log_from` is the log's offset at which this run began. `config` is written into the
    runtime folder for the Jupyter Server, `sockets` is the folder of its sockets, empty without one
    and for a server that listens on a port, as those of earlier versions do.
    """

    id: str
    run: int
    boot: str
    argv: tuple[str, ...]
    env: dict[str, str]
    folder: str
    grace: float
    log_bytes: int
    log_files: int
    log_from: int = 0
    config: dict[str, Any] = msgspec.field(default_factory=dict)
    sockets: str = ""
    token: str = ""


class Leader(Model, frozen=True, kw_only=True):
    """A session's first process, identified by pid, start time in clock ticks, and boot."""

    run: int
    pid: int
    ticks: int
    boot: str
    shim: int


class ExitNote(Model, frozen=True, kw_only=True):
    """The exit that the shim observed; `at` in seconds since 1970."""

    run: int
    code: int
    signal: str
    at: float


class SessionFolder:
    """The files of one session."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runtime = path / "runtime"
        self.workspaces = path / "workspaces"
        self.copy = path / "session.json"

    def save(self, session: Session) -> None:
        """Store the session beside its files, also on a full disk. Raises StorageFailed."""
        data, room = msgspec.json.encode(session), self.path / ".session.room"
        with writing(self.path):
            self.path.mkdir(mode=0o700, exist_ok=True)  # it may have been removed
            try:
                write_file(self.copy, data)
            except OSError as error:
                if not room.exists():
                    raise
                _log.debug("%s is written into reserved space: %s", self.copy, error)
                replace_file(room, self.copy, data)
            reserve(room, len(data))

    def load(self) -> Record[Session]:
        """Read the stored session."""
        try:
            return read_record(self.copy.read_bytes(), read_session)
        except FileNotFoundError:
            return Record()
        except OSError as error:
            return Record(problem=error.strerror or str(error))

    def prepare(self, launch: Launch) -> None:
        """Clear the files of an earlier run, and write those for the shim. Raises StorageFailed."""
        with writing(self.path):
            for name in ("leader.json", "exit.json", ".exit.room"):
                (self.path / name).unlink(missing_ok=True)
            self._forget_runtime()
            self.runtime.mkdir(mode=0o700)
            (self.runtime / "config").mkdir()
            if launch.sockets:
                make_private(Path(launch.sockets))
            config = self.runtime / "config" / "jupyter_server_config.json"
            write_file(config, msgspec.json.encode(launch.config))
            write_file(self.runtime / TOKEN, launch.token.encode())
            write_file(self.path / "launch.json", msgspec.json.encode(launch))

    def forget(self) -> None:
        """Remove the files of a run: `launch.json` with its secrets, runtime folder and sockets.

        What cannot be removed now is removed when the next run begins, or with the session.
        """
        self._forget_runtime()
        with contextlib.suppress(OSError):
            (self.path / "launch.json").unlink()

    def _forget_runtime(self) -> None:
        launch = self._read("launch.json", Launch)
        if launch and launch.sockets:
            shutil.rmtree(launch.sockets, ignore_errors=True)
        shutil.rmtree(self.runtime, ignore_errors=True)

    def launch(self, run: int) -> Launch | None:
        """Read the launch of a run; None if there is none."""
        found = self._read("launch.json", Launch)
        return found if found and found.run == run else None

    def leader(self, run: int) -> Leader | None:
        """Read the identity of a run's first process; None until it has started."""
        found = self.last_leader()
        return found if found and found.run == run else None

    def last_leader(self) -> Leader | None:
        """Read the identity of the last run's first process."""
        return self._read("leader.json", Leader)

    def exit(self, run: int) -> ExitNote | None:
        """Read how a run ended; None until it has.

        A shim that could not publish its note has left it in its reserved space.
        """
        notes = (self._read(name, ExitNote) for name in ("exit.json", ".exit.room"))
        return next((found for found in notes if found and found.run == run), None)

    def lock(self) -> int:
        """Take the shim's lock, for a shim to inherit. Raises OSError if it is held."""
        fd = os.open(self.path / "shim.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise
        return fd

    def shim_lives(self) -> bool | None:
        """Return whether a shim is alive: only then is the lock held.

        None without a lock file: no shim has started yet, or the folder is missing.
        """
        try:
            fd = os.open(self.path / "shim.lock", os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    def _read(self, name: str, kind: type[T]) -> T | None:
        try:
            return decoded((self.path / name).read_bytes(), kind)
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
            return None


class StateFolder:
    """The state folder and the folders of sessions in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sessions = path / "sessions"
        self.held = HeldFolders()

    def open(self) -> None:
        """Make the folder, accessible to the account only, and open it. Raises StorageFailed."""
        make_state_folder(self.path)
        with writing(self.path):
            self.sessions.mkdir(mode=0o700, exist_ok=True)
            self.held.hold(self.path, self.sessions)
        for path in self.sessions.glob(".new-*"):  # of requests that were never accepted
            shutil.rmtree(path, ignore_errors=True)

    def session(self, session_id: str) -> SessionFolder:
        """Return the folder of a session, whether it exists or not."""
        return SessionFolder(self.sessions / session_id)

    def make(self, session: Session) -> SessionFolder:
        """Make a session's folder with the stored session, atomically. Raises StorageFailed."""
        new = SessionFolder(self.sessions / f".new-{session.id}")
        folder = self.session(session.id)
        try:
            new.save(session)
            with writing(folder.path):
                new.path.rename(folder.path)
                sync_folder(self.sessions)
        except StorageFailed:
            shutil.rmtree(new.path, ignore_errors=True)
            raise
        return folder

    def delete(self, session_id: str) -> None:
        """Mark a session's folder as deleted, or raise; then remove its files."""
        deleted = self._deleted_path(session_id)
        with writing(self.sessions), contextlib.suppress(FileNotFoundError):
            (self.sessions / session_id).rename(deleted)
            sync_folder(self.sessions)
        with contextlib.suppress(OSError):  # what cannot be removed now goes with the mark
            for path in deleted.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()

    def deleted(self) -> list[str]:
        """Return the ids of the sessions whose folders are marked as deleted."""
        return [path.name.removeprefix(".deleted-") for path in self.sessions.glob(".deleted-*")]

    def clear(self, session_id: str) -> None:
        """Remove a folder that is marked as deleted; the next start removes what is left."""
        shutil.rmtree(self._deleted_path(session_id), ignore_errors=True)

    def all(self) -> list[SessionFolder]:
        """Return the folders of all sessions."""
        return [SessionFolder(path) for path in self._entries() if path.is_dir()]

    def unknown_entries(self) -> list[Path]:
        """Return the entries beside the session folders that are not session folders."""
        return [path for path in self._entries() if not path.is_dir()]

    def _entries(self) -> list[Path]:
        return sorted(p for p in self.sessions.iterdir() if not p.name.startswith("."))

    def _deleted_path(self, session_id: str) -> Path:
        return self.sessions / f".deleted-{session_id}"


_BLOCK = 4096


def reserve(room: Path, size: int) -> None:
    """Reserve space for a file of about this size; on a full disk, the next call tries again."""
    wanted = (size // _BLOCK + 2) * _BLOCK
    with contextlib.suppress(OSError):
        fd = os.open(room, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(fd).st_size < size + _BLOCK:
                os.posix_fallocate(fd, 0, wanted)
        finally:
            os.close(fd)


def replace_file(room: Path, path: Path, data: bytes) -> None:
    """Replace a file, using the reserved space. Raises OSError."""
    with open(os.open(room, os.O_WRONLY | os.O_CLOEXEC), "wb", buffering=0) as file:  # noqa: PTH123 (a descriptor)
        file.write(data)
        file.truncate()
        os.fsync(file.fileno())
    room.rename(path)


_REMOVED = " (deleted)"


class HeldFolder:
    """One folder at a path."""

    def __init__(self, path: Path) -> None:
        """Open the folder at a path. Raises OSError."""
        self.path = path
        self._fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self) -> None:
        """Close it."""
        os.close(self._fd)

    @property
    def in_place(self) -> bool:
        """Whether its path still leads to it."""
        held = os.fstat(self._fd)
        try:
            there = self.path.stat()
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)

    @property
    def removed(self) -> bool:
        """Whether it was removed, rather than moved or unmounted."""
        return os.fstat(self._fd).st_nlink == 0 or self._where() == f"{self.path}{_REMOVED}"

    def problem(self) -> str:
        """Return what happened to it and what to do; empty if it is in place."""
        if self.in_place:
            return ""
        now = self._where()
        if self.removed and self.path.exists():
            what, remedy = "was replaced by another one", "Restart the controller."
        elif self.removed:
            what, remedy = "was removed", "It is recreated as soon as possible."
        elif now == str(self.path):
            what, remedy = "cannot be reached", "Mount its disk again."
        else:
            what, remedy = f"was moved to {now}", f"Move it back: mv {now} {self.path}"
        return f"The folder {self.path} {what}. Sessions keep running, but none starts. {remedy}"

    def _where(self) -> str:
        return str(Path(f"/proc/self/fd/{self._fd}").readlink())


class HeldFolders:
    """Folders that must stay in place."""

    def __init__(self) -> None:
        self._folders: list[HeldFolder] = []

    def hold(self, *paths: Path) -> None:
        """Open the folders at these paths instead of those held so far. Raises OSError."""
        found = [HeldFolder(path) for path in paths]
        self.close()
        self._folders = found

    def close(self) -> None:
        """Close them."""
        for folder in self._folders:
            folder.close()
        self._folders = []

    def missing(self) -> str:
        """Return which folder is not in place and what to do, empty if all are."""
        return next((text for folder in self._folders if (text := folder.problem())), "")

    def check(self) -> None:
        """Raise StorageFailed while a folder is missing; sessions cannot start then."""
        if text := self.missing():
            raise StorageFailed(text)

    def removed(self) -> bool:
        """Return whether one was removed and its path is free, so that it can be recreated."""
        away = (folder for folder in self._folders if not folder.in_place)
        return any(folder.removed for folder in away) and not any(
            folder.path.exists() for folder in self._folders if folder.removed
        )


def read_session(data: bytes) -> Session:
    """Decode a stored session. Raises msgspec.DecodeError.

    An earlier format stored the run beside the session, and its revision as a number.
    """
    body = msgspec.json.decode(data)
    if isinstance(body, dict) and isinstance(body.get("session"), dict):
        body = {**body["session"], "run": body.get("run", 0)}
    if isinstance(body, dict):
        body = {**body, "revision": str(body.get("revision", ""))}
    return msgspec.convert(body, Session)
