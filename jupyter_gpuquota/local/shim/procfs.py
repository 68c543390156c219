"""Processes as /proc tells of them, and which of them belong to a session."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MARK = b"GPUQUOTA_SESSION="
STATE = b"GPUQUOTA_STATE_DIR="
OURSELVES = "-"
_PR_SET_CHILD_SUBREAPER = 36


class Stat(NamedTuple):
    """Be what /proc/PID/stat tells: `ticks` is the start time in clock ticks since boot.

    `terminal` is 0 for none; `foreground` is the process group that a terminal listens to. CPU
    time is in clock ticks, too: `spent` its own, `reaped` that of children which have ended.
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


def read_stat(pid: int) -> Stat | None:
    """Read /proc/PID/stat; None if there is no such process.

    The command's name stands in parentheses and may itself contain some: fields are counted
    from the last one on (proc(5)).
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
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
    )


def boot_id() -> str:
    """Tell which boot this is, of the machine or container: another one's process ids are void.

    A restarted container keeps the machine's boot id, but its first process is a new one.
    """
    first = read_stat(1)
    machine = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{machine}-{first.ticks if first else 0}"


def running() -> Iterator[Stat]:
    """List the processes that have not ended."""
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            stat = read_stat(int(entry.name))
            if stat and stat.state not in "ZX":
                yield stat


def mark_of(pid: int) -> str:
    """Tell the session whose environment a process was started with, empty if none can be told.

    `OURSELVES` stands for a process of this product itself, a shim or a controller: it names the
    state folder, but no session.
    """
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""  # it has ended, or is not ours to read
    for variable in variables:
        if variable.startswith(MARK):
            return variable.removeprefix(MARK).decode(errors="replace")
    return OURSELVES if any(variable.startswith(STATE) for variable in variables) else ""


def become_subreaper() -> None:
    """Become the parent of every descendant whose own parent ends (prctl(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "PR_SET_CHILD_SUBREAPER")


def exit_of(status: int) -> tuple[int, str]:
    """Return exit code and signal of a wait status; the code of a signal is 128 and its number."""
    code = os.waitstatus_to_exitcode(status)
    return (code, "") if code >= 0 else (128 - code, signal.Signals(-code).name)


def members(session_id: str, ancestor: int = 0, leader: int = 0) -> set[int]:
    """Find a session's processes by their mark, their descent, and the leader's kernel session.

    A controller that was started inside a session, and other sessions that it started, descend
    from it, too, but are not part of it. Nor is what we may not signal: a `sudo` in a terminal.
    """
    children: dict[int, list[int]] = {}
    marks: dict[int, str] = {}
    found: set[int] = set()
    for stat in running():
        children.setdefault(stat.parent, []).append(stat.pid)
        marks[stat.pid] = mark_of(stat.pid)
        if marks[stat.pid] == session_id or (leader and leader in (stat.pid, stat.session)):
            found.add(stat.pid)
    todo = [*found, *([ancestor] if ancestor else [])]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found and marks[child] in ("", session_id):
                found.add(child)
                todo.append(child)
    return {pid for pid in found - {ancestor, os.getpid()} if _may_signal(pid)}


def _may_signal(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
