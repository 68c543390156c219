"""Read processes from /proc."""

from __future__ import annotations

import ctypes
import functools
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MARK = b"GPUQUOTA_SESSION="
_PR_SET_CHILD_SUBREAPER = 36
_NANO = 10**9


class Stat(NamedTuple):
    """The fields of /proc/PID/stat; `ticks` is the start time in clock ticks since boot.

    `terminal` is 0 for none; `foreground` is the foreground process group of the terminal. CPU
    time is in clock ticks: `spent` its own, `reaped` that of children that have ended. `threads` is
    the number of its threads.
    """

    pid: int
    state: str
    parent: int
    session: int
    ticks: int
    group: int
    terminal: int
    foreground: int
    spent: int
    reaped: int
    threads: int = 1


def read(pid: int, name: str) -> bytes:
    """Return a file of a process in /proc. Raises OSError if the process does not exist.

    All processes are read in each look at sessions: a path object would cost more than the read.
    """
    with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 (see above)
        return file.read()


def read_stat(pid: int) -> Stat | None:
    """Read /proc/PID/stat; None if the process does not exist.

    The command's name is in parentheses and may itself contain some: fields are counted from the
    last parenthesis (proc(5)).
    """
    try:
        fields = read(pid, "stat").rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    parent, group, session, terminal, foreground = map(int, fields[1:6])
    own, system, children, children_system = map(int, fields[11:15])
    return Stat(
        pid,
        fields[0].decode(),
        parent,
        session,
        ticks=int(fields[19]),
        group=group,
        terminal=terminal,
        foreground=foreground,
        spent=own + system,
        reaped=children + children_system,
        threads=int(fields[17]),
    )


@functools.cache
def boot_id() -> str:
    """Return the id of this boot of the machine or container; pids of another boot are void.

    A restarted container keeps the machine's boot id, but its first process is a new one.
    """
    first = read_stat(1)
    machine = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{machine}-{first.ticks if first else 0}"


def pids() -> list[int]:
    """Return the pids of all processes."""
    with os.scandir("/proc") as entries:
        return [int(entry.name) for entry in entries if entry.name.isdecimal()]


def running() -> Iterator[Stat]:
    """Yield the processes that have not ended."""
    for pid in pids():
        stat = read_stat(pid)
        if stat and stat.state not in "ZX":
            yield stat


def schedule_of(stat: Stat) -> dict[int, tuple[float, float]]:
    """Map the threads of a process to the seconds that they ran, and waited for a processor.

    That of a process as a whole is its first thread's. Empty if it has ended.
    """
    found = {}
    with suppress(OSError):
        threads = [stat.pid] if stat.threads == 1 else os.listdir(f"/proc/{stat.pid}/task")  # noqa: PTH208 (see read)
        for thread in map(int, threads):
            ran, waited, _ = map(int, read(stat.pid, f"task/{thread}/schedstat").split())
            found[thread] = (ran / _NANO, waited / _NANO)
    return found


def moved_by(pid: int) -> int | None:
    """Return the bytes that a process moved from and to disks; None if that cannot be read.

    Those of children that have ended are included. Sockets, pipes, terminals and file systems in
    memory are not (proc(5): io).
    """
    try:
        lines = dict(line.split(b": ") for line in read(pid, "io").splitlines())
    except OSError:  # it has ended, or must not be looked into
        return None
    return int(lines[b"read_bytes"]) + int(lines[b"write_bytes"])


def mark_of(pid: int) -> str:
    """Return the session named in the environment that a process of our account started with.

    Empty if unknown. The environment of another account's process is not trusted.
    """
    try:
        if owner_of(pid) != os.geteuid():
            return ""
        variables = read(pid, "environ")
    except OSError:
        return ""  # it has ended, or belongs to another account
    _, mark, after = (b"\0" + variables).partition(b"\0" + MARK)
    return after.partition(b"\0")[0].decode(errors="replace") if mark else ""


def owner_of(pid: int) -> int:
    """Return the uid that a process runs as. Raises OSError if it does not exist."""
    return os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116 (see read)


def words(pid: int) -> list[bytes]:
    """Return the command line of a process, empty if it has ended."""
    try:
        return read(pid, "cmdline").split(b"\0")[:-1]
    except OSError:
        return []


def exit_status(pid: int, ticks: int) -> int | None:
    """Return the wait status of a process that has ended and is not reaped yet (a zombie)."""
    try:
        fields = read(pid, "stat").rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields[49]) if fields[0] == b"Z" and int(fields[19]) == ticks else None


def become_subreaper() -> None:
    """Become the parent of every descendant whose own parent ends (prctl(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "PR_SET_CHILD_SUBREAPER")


def exit_of(status: int) -> tuple[int, str]:
    """Return exit code and signal of a wait status; the code of a signal is 128 + its number."""
    code = os.waitstatus_to_exitcode(status)
    return (code, "") if code >= 0 else (128 - code, signal.Signals(-code).name)
