"""Processes of sessions: who they are, whether they live, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

from .folders import Leader, SessionFolder
from .shim import procfs

SHIM = Path(procfs.__file__).parent
_LOCK_FD = 3


def alive(leader: Leader) -> bool:
    """Tell whether exactly this process lives, not one that was given its number later."""
    if leader.boot != procfs.boot_id():
        return False
    stat = procfs.read_stat(leader.pid)
    return stat is not None and stat.ticks == leader.ticks and stat.state not in "ZX"


def started(leader: Leader) -> bool:
    """Tell whether the process runs its program, and not still the shim that forked it.

    One that has ended runs nothing: how it ended says whether it ever did.
    """
    try:
        words = Path(f"/proc/{leader.pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(words) and str(SHIM).encode() not in words


def descends(pid: int, ancestor: int) -> bool:
    """Tell whether a process is another one or descends from it."""
    while pid > 1:
        if pid == ancestor:
            return True
        stat = procfs.read_stat(pid)
        pid = stat.parent if stat else 0
    return False


def members(session_id: str, leader: Leader | None) -> set[int]:
    """Find the living processes of a session, those that left its process group included."""
    known = leader is not None and alive(leader)
    return procfs.members(session_id, leader=leader.pid if leader and known else 0)


def census() -> dict[int, str]:
    """Map every process that carries a session's mark to that session."""
    marks = {stat.pid: procfs.mark_of(stat.pid) for stat in procfs.running()}
    return {pid: mark for pid, mark in marks.items() if mark not in ("", procfs.OURSELVES)}


def ask_to_end(leader: Leader) -> None:
    """Send SIGTERM to the session's process group, if its leader is the one we mean."""
    if alive(leader):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader.pid, signal.SIGTERM)


def send(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes that were found just now."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap(pid: int) -> int | None:
    """Let go of a child, and return its exit code, negative for a signal; None if it lives."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def reap_if_child(pid: int) -> None:
    """Let go of a process that became our child and has ended; do nothing to any other."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def reap_group(group: int) -> bool:
    """Let go of children of ours in a process group that have ended; tell whether any is left."""
    try:
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def exit_of_child(leader: Leader) -> tuple[int, str] | None:
    """Tell exit code and signal of a leader that became our child when its shim was killed.

    None if it is not our child: then nobody can know.
    """
    stat = procfs.read_stat(leader.pid)
    if stat is None or stat.ticks != leader.ticks:
        return None  # the number is another process's by now
    try:
        pid, status = os.waitpid(leader.pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return procfs.exit_of(status) if pid else None


def start_shim(folder: SessionFolder, state_dir: str) -> int:
    """Start a shim for a prepared folder and return its pid. Raises OSError.

    The lock is taken here and inherited, so that there is no moment in which a shim that is
    about to work looks like one that has gone.
    """
    lock = folder.lock()
    try:
        null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        argv = [sys.executable, "-I", "-S", str(SHIM), str(folder.path)]
        ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD)
        return os.posix_spawn(
            argv[0],
            argv,
            {"LC_ALL": "C.UTF-8", "GPUQUOTA_STATE_DIR": state_dir},
            file_actions=[*null, (os.POSIX_SPAWN_DUP2, lock, _LOCK_FD)],
            setsigmask=(),
            setsigdef=ignored,
        )
    finally:
        os.close(lock)
