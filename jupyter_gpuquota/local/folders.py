"""The state folder, and the folder of each session in it, as docs/architecture.md draws them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..control.files import private_folder, write_file, writing
from ..errors import StorageFailed
from ..model.base import Model
from ..model.sessions import Session
from .store import read_session

T = TypeVar("T")


class Launch(Model, frozen=True, kw_only=True):
    """The shim's orders; they hold the session's token, so only the account may read them.

    `run` is the session's; every note of a shim carries it, so that one of an earlier run is never
    taken for one of this. `log_from` is the log's offset at which this run began. `config` goes
    into the runtime folder, for the Jupyter Server to read.
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


class Leader(Model, frozen=True, kw_only=True):
    """Identify a session's first process: by pid, start time in clock ticks, and boot."""

    run: int
    pid: int
    ticks: int
    boot: str
    shim: int


class ExitNote(Model, frozen=True, kw_only=True):
    """Be what the shim saw of the end: `at` in seconds since 1970."""

    run: int
    code: int
    signal: str
    at: float


class SessionFolder:
    """Read and write the files of one session."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runtime = path / "runtime"

    def save(self, session: Session) -> None:
        """Keep the session beside its files. Raises StorageFailed."""
        with writing(self.path):
            self.path.mkdir(mode=0o700, exist_ok=True)  # somebody may have removed it
            write_file(self.path / "session.json", msgspec.json.encode(session))

    def load(self) -> Session | None:
        """Read the kept session; None if there is none that can be read."""
        try:
            return read_session((self.path / "session.json").read_bytes())
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
            return None

    def prepare(self, launch: Launch) -> None:
        """Clear what an earlier run left, and write the shim's orders. Raises StorageFailed."""
        with writing(self.path):
            for name in ("leader.json", "exit.json", ".exit.room"):
                (self.path / name).unlink(missing_ok=True)
            shutil.rmtree(self.runtime, ignore_errors=True)
            self.runtime.mkdir(mode=0o700)
            (self.runtime / "config").mkdir()
            config = self.runtime / "config" / "jupyter_server_config.json"
            write_file(config, msgspec.json.encode(launch.config))
            write_file(self.path / "launch.json", msgspec.json.encode(launch))

    def forget(self) -> None:
        """Remove what only a run needs: its orders, with their secrets, and its server's files.

        What cannot be removed goes when the next run begins, or with the session.
        """
        with contextlib.suppress(OSError):
            (self.path / "launch.json").unlink()
        shutil.rmtree(self.runtime, ignore_errors=True)

    def launch(self, run: int) -> Launch | None:
        """Read the orders of a run."""
        found = self._read("launch.json", Launch)
        return found if found and found.run == run else None

    def leader(self, run: int) -> Leader | None:
        """Read the identity of a run's first process; None until it is there."""
        found = self._read("leader.json", Leader)
        return found if found and found.run == run else None

    def exit(self, run: int) -> ExitNote | None:
        """Read how a run ended; None until it has."""
        found = self._read("exit.json", ExitNote)
        return found if found and found.run == run else None

    def lock(self) -> int:
        """Take the shim's lock, to hand it over to a shim. Raises OSError if one holds it."""
        fd = os.open(self.path / "shim.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise
        return fd

    def kept(self) -> bool:
        """Tell whether a shim lives: only then is the lock held."""
        try:
            fd = os.open(self.path / "shim.lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    def _read(self, name: str, kind: type[T]) -> T | None:
        try:
            return msgspec.json.decode((self.path / name).read_bytes(), type=kind)
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
            return None


class StateFolder:
    """Find, make and remove what lies in the state folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sessions = path / "sessions"

    def open(self) -> None:
        """Make the folder, for the account alone. Raises StorageFailed."""
        prepare(self.path)
        with writing(self.path):
            self.sessions.mkdir(mode=0o700, exist_ok=True)

    def session(self, session_id: str) -> SessionFolder:
        """Return the folder of a session that is known, there or not."""
        return SessionFolder(self.sessions / session_id)

    def make(self, session: Session) -> SessionFolder:
        """Make a session's folder with what is kept of it; leave nothing if that fails."""
        folder = self.session(session.id)
        try:
            with writing(folder.path):
                folder.path.mkdir(mode=0o700)
            folder.save(session)
        except StorageFailed:
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        return folder

    def bury(self, session_id: str) -> None:
        """Set a session's folder aside, so that it is no session's any more, or raise."""
        with writing(self.sessions), contextlib.suppress(FileNotFoundError):
            (self.sessions / session_id).rename(self._grave(session_id))

    def unbury(self, session_id: str) -> None:
        """Bring a folder back that was set aside."""
        with contextlib.suppress(FileNotFoundError):
            self._grave(session_id).rename(self.sessions / session_id)

    def buried(self) -> list[str]:
        """List the ids of the sessions that were set aside."""
        return [path.name.removeprefix(".deleted-") for path in self.sessions.glob(".deleted-*")]

    def clear(self, session_id: str) -> None:
        """Remove what was set aside; what cannot be removed now goes at the next start."""
        shutil.rmtree(self._grave(session_id), ignore_errors=True)

    def all(self) -> list[SessionFolder]:
        """List the folders of all sessions."""
        found = (path for path in self.sessions.iterdir() if not path.name.startswith("."))
        return [SessionFolder(path) for path in sorted(found)]

    def _grave(self, session_id: str) -> Path:
        return self.sessions / f".deleted-{session_id}"


def prepare(path: Path) -> None:
    """Make the state folder for the account alone. Raises StorageFailed, NotAllowed."""
    with writing(path):
        private_folder(path)
