"""Supervise one session: start its process, record its exit, end all processes that it leaves.

A separate program, started as ``python -I -S shim FOLDER`` with a locked `shim.lock` as file
descriptor 3. It uses the standard library only: it is small, starts fast, and outlives both the
controller and the version of the package that started it.

The order makes it safe: the session's process waits behind a pipe until its identity is on
disk; space for the exit note is reserved before anything starts; the note is written before
leftover processes are ended; the lock, which shows that the shim is at work, is released last.

Its working folder is the session's, so it can write there even after the folder was moved. A
removed folder is made again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import files, membership, procfs
else:  # run as a program, modules are imported from the folder of this file
    import files
    import membership
    import procfs

LOCK_FD = 3
ROOM = 4096
LOG_CHECK_SECONDS = 2.0
PATIENCE = 30.0
"""Seconds to wait for a removed folder before giving up on the exit note."""
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Shim:
    """The shim of one session's process. Its files are relative to the working folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = Path()
        self.launch: dict[str, Any] = json.loads(Path("launch.json").read_bytes())
        self.room = Path(".exit.room")
        self.notes: dict[str, bytes] = {}
        self.identity: dict[str, Any] = {}
        self.leader = 0
        self.status: int | None = None

    def run(self) -> None:
        """Start the session's process, supervise it, record its exit, and end its leftovers."""
        with self.room.open("wb") as room:
            os.posix_fallocate(room.fileno(), 0, ROOM)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *_FORWARDED})
        self._start()
        while self.status is None:
            self._wait(LOG_CHECK_SECONDS)
            self._rotate()
            if self._restored():
                self._remember()
        self._note_exit()
        self._end_leftovers()

    def _start(self) -> None:
        gate, opener = os.pipe()
        self.leader = os.fork()
        if not self.leader:
            os.close(opener)
            self._become_session(gate)
        os.close(gate)
        stat = procfs.read_stat(self.leader)
        self.identity = {
            "run": self.launch["run"],
            "pid": self.leader,
            "ticks": stat.ticks if stat else 0,
            "boot": procfs.boot_id(),
            "shim": os.getpid(),
        }
        files.write_file(Path("leader.json"), json.dumps(self.identity).encode())
        os.write(opener, b"!")
        os.close(opener)

    def _become_session(self, gate: int) -> None:
        """Turn the forked child into the session's first process; never returns."""
        argv = self.launch["argv"]
        try:
            os.setsid()
            if not os.read(gate, 1):
                os._exit(125)  # the shim is gone, so the session must not start
            log = os.open("log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.dup2(log, 1)
            os.dup2(log, 2)
            for number in (*_FORWARDED, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.chdir(self.launch["folder"])
            os.execvpe(argv[0], argv, self.launch["env"])  # noqa: S606 (deliberately without a shell)
        except Exception as error:  # noqa: BLE001 (the child must end here in any case)
            why = error.strerror if isinstance(error, OSError) else error
            os.write(2, f"gpuquota: cannot start {argv[0]}: {why}\n".encode(errors="replace"))
            os._exit(127 if isinstance(error, FileNotFoundError) else 126)

    def _wait(self, seconds: float) -> None:
        """Wait for a signal, forward requests to end, and reap ended children."""
        number = signal.sigtimedwait({signal.SIGCHLD, *_FORWARDED}, seconds)
        if number and number.si_signo in _FORWARDED:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.leader, number.si_signo)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.leader:
                    self.status = ended[1]

    def _rotate(self) -> None:
        # A log that cannot be rotated now (disk full) is tried again next time.
        with contextlib.suppress(OSError):
            files.rotate(self.folder, self.launch["log_bytes"], self.launch["log_files"])

    def _remember(self) -> None:
        """Remember the connection files of the session's server and kernels while they run."""
        with contextlib.suppress(OSError):  # the disk does not respond now
            new = [p for p in Path("runtime").glob("*.json") if p.name not in self.notes]
            for path in new:
                with contextlib.suppress(FileNotFoundError, ValueError):  # it is being written
                    note = path.read_bytes()
                    json.loads(note)
                    self.notes[path.name] = note

    def _restored(self) -> bool:
        """Recreate the folder if it was removed, and return whether it exists."""
        try:
            if Path().stat().st_nlink:
                return True
            self.home.mkdir(mode=0o700, exist_ok=True)
            runtime = self.home / "runtime"
            runtime.mkdir(mode=0o700, exist_ok=True)
            for name, note in self.notes.items():
                files.write_file(runtime / name, note)
            files.write_file(self.home / "launch.json", json.dumps(self.launch).encode())
            files.write_file(self.home / "leader.json", json.dumps(self.identity).encode())
            lock = os.open(self.home / "shim.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.dup2(lock, LOCK_FD, inheritable=False)
            finally:
                os.close(lock)
            os.chdir(self.home)
        except OSError:
            return False  # its parent is missing, too, or the disk is full: tried again
        return True

    def _note_exit(self) -> None:
        """Write the exit note; the lock stays held until that succeeds.

        A controller that does not wait kills this process, and finds the note in reserved space.
        """
        code, name = procfs.exit_of(self.status or 0)
        note = {"run": self.launch["run"], "code": code, "signal": name, "at": time.time()}
        data = json.dumps(note).encode()
        patience = time.monotonic() + PATIENCE
        while self._restored() or time.monotonic() < patience:
            try:
                fd = os.open(self.room, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
                with open(fd, "wb", buffering=0) as room:  # noqa: PTH123 (a descriptor)
                    room.write(data)
                    room.truncate()
                    os.fsync(fd)
                self.room.rename("exit.json")
            except OSError:
                time.sleep(1)  # no space even for a name, or no folder
            else:
                return

    def _end_leftovers(self) -> None:
        """End every process of the session: SIGTERM first, SIGKILL after the grace period."""
        terminated: set[int] = set()
        deadline = time.monotonic() + self.launch["grace"]
        while found := membership.members(self.launch["id"], self._roots()):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if time.monotonic() > deadline:
                        os.kill(pid, signal.SIGKILL)
                    elif pid not in terminated:
                        terminated.add(pid)
                        os.kill(pid, signal.SIGTERM)
            self._wait(0.05)
        self._wait(0.0)  # reap those that ended last

    def _roots(self) -> membership.Roots:
        """Return the roots of all sessions; this session's shim is this process in any case."""
        known = membership.roots(self.home.parent)
        return membership.Roots(known.leaders, {**known.shims, os.getpid(): self.launch["id"]})


def main(folder: str) -> int:
    """Supervise the session in a folder; return 0, or the errno of what prevented it."""
    fcntl.fcntl(LOCK_FD, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    fcntl.flock(LOCK_FD, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with contextlib.suppress(PermissionError):
        os.setsid()
    procfs.become_subreaper()
    try:
        os.chdir(folder)
        Shim(Path(folder)).run()
    except OSError as error:
        return error.errno or 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
