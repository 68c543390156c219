"""Keep one session: start its process, note how it ends, leave nothing of it behind.

A program of its own, started as ``python -I -S shim FOLDER`` with a locked `shim.lock` as file
descriptor 3. It uses the standard library only: it is small, starts fast, and outlives both the
controller and the version of the package that started it.

Order is what makes it safe: the session's process waits behind a pipe until its identity is on
disk; room for the exit note is set aside before anything starts; the note is written before what
the session left behind is ended; the lock, which says that all this goes on, is dropped last.
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
    from . import files, procfs
else:  # run as a program, the folder of this file is where modules are looked for
    import files
    import procfs

LOCK_FD = 3
ROOM = 4096
LOG_CHECK_SECONDS = 2.0
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Shim:
    """Be the keeper of one session's process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.launch: dict[str, Any] = json.loads((folder / "launch.json").read_bytes())
        self.room = folder / ".exit.room"
        self.leader = 0
        self.status: int | None = None

    def run(self) -> None:
        """Start the session's process, keep it, note its end, and end what it left behind."""
        with self.room.open("wb") as room:
            os.posix_fallocate(room.fileno(), 0, ROOM)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *_FORWARDED})
        self._start()
        while self.status is None:
            self._wait(LOG_CHECK_SECONDS)
            self._rotate()
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
        identity = {
            "run": self.launch["run"],
            "pid": self.leader,
            "ticks": stat.ticks if stat else 0,
            "boot": procfs.boot_id(),
            "shim": os.getpid(),
        }
        files.write_file(self.folder / "leader.json", json.dumps(identity).encode())
        os.write(opener, b"!")
        os.close(opener)

    def _become_session(self, gate: int) -> None:
        """Turn the forked child into the session's first process; never returns."""
        argv = self.launch["argv"]
        try:
            os.setsid()
            if not os.read(gate, 1):
                os._exit(125)  # the shim is gone, so the session must not begin
            log = os.open(self.folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.dup2(log, 1)
            os.dup2(log, 2)
            for number in (*_FORWARDED, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            os.chdir(self.launch["folder"])
            os.execvpe(argv[0], argv, self.launch["env"])  # noqa: S606 (no shell is wanted)
        except Exception as error:  # noqa: BLE001 (whatever it is, the child must end here)
            why = error.strerror if isinstance(error, OSError) else error
            os.write(2, f"gpuquota: cannot start {argv[0]}: {why}\n".encode(errors="replace"))
            os._exit(127 if isinstance(error, FileNotFoundError) else 126)

    def _wait(self, seconds: float) -> None:
        """Wait for a signal: pass requests to end on, and reap whatever has ended."""
        number = signal.sigtimedwait({signal.SIGCHLD, *_FORWARDED}, seconds)
        if number and number.si_signo in _FORWARDED:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.leader, number.si_signo)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.leader:
                    self.status = ended[1]

    def _rotate(self) -> None:
        # A log that cannot be rotated now (no room) is tried again at the next look.
        with contextlib.suppress(OSError):
            files.rotate(self.folder, self.launch["log_bytes"], self.launch["log_files"])

    def _note_exit(self) -> None:
        code, name = procfs.exit_of(self.status or 0)
        note = {"run": self.launch["run"], "code": code, "signal": name, "at": time.time()}
        data = json.dumps(note).encode()
        while True:
            try:
                fd = os.open(self.room, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
                with open(fd, "wb", buffering=0) as room:  # noqa: PTH123
                    room.write(data)
                    room.truncate()
                    os.fsync(fd)
                self.room.rename(self.folder / "exit.json")
            except FileNotFoundError:
                return  # somebody has removed the session's folder: nobody will ask
            except OSError:
                time.sleep(1)  # no room even for a name: until there is, the lock stays held
            else:
                return

    def _end_leftovers(self) -> None:
        """End every process of the session: first asked, after the grace killed."""
        asked: set[int] = set()
        deadline = time.monotonic() + self.launch["grace"]
        while found := procfs.members(self.launch["id"], os.getpid()):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if time.monotonic() > deadline:
                        os.kill(pid, signal.SIGKILL)
                    elif pid not in asked:
                        asked.add(pid)
                        os.kill(pid, signal.SIGTERM)
            self._wait(0.05)


def main(folder: str) -> int:
    """Keep the session in a folder; the exit status is the errno of what prevented it."""
    fcntl.fcntl(LOCK_FD, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    fcntl.flock(LOCK_FD, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with contextlib.suppress(PermissionError):
        os.setsid()
    os.chdir("/")
    procfs.become_subreaper()
    try:
        Shim(Path(folder)).run()
    except OSError as error:
        return error.errno or 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
