"""Find, signal and reap the processes of sessions."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..folders.folders import Leader, SessionFolder
from ..shim import membership, procfs
from ..shim.membership import Roots

SHIM = Path(procfs.__file__).parent
_LOCK_FD = 3
_REFRESH = 10.0
"""Seconds after which `ProcessOwners` searches for descendants of sessions again."""


class Process(NamedTuple):
    """One process of this boot: its pid, and its start time in clock ticks."""

    pid: int
    ticks: int


def alive(leader: Leader) -> bool:
    """Return whether exactly this process is alive, not a later one with the same pid."""
    return leader.boot == procfs.boot_id() and is_alive(Process(leader.pid, leader.ticks))


def started(leader: Leader) -> bool:
    """Return whether the process runs its program, and not still the shim that forked it.

    False for a process that has ended: its exit code tells whether the program ever ran.
    """
    try:
        words = Path(f"/proc/{leader.pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(words) and str(SHIM).encode() not in words


def descends(pid: int, ancestor: int) -> bool:
    """Return whether a process is `ancestor` or descends from it."""
    while pid > 1:
        if pid == ancestor:
            return True
        stat = procfs.read_stat(pid)
        pid = stat.parent if stat else 0
    return False


def members(session_id: str, folder: SessionFolder, leader: Leader | None) -> set[int]:
    """Return the living processes of a session, including those that left its process group."""
    known = _with_leader(membership.roots(folder.path.parent), session_id, leader)
    return membership.members(session_id, known)


def listeners(session_id: str, folder: SessionFolder, leader: Leader | None) -> Iterator[int]:
    """Yield the processes of a session that may serve its pages: those of our account."""
    for pid in members(session_id, folder, leader):
        with contextlib.suppress(OSError):  # it has just ended
            if procfs.owner_of(pid) == os.geteuid():
                yield pid


class ProcessOwners:
    """Which process belongs to which session.

    When a shim is killed, its orphans become children of the controller. The session of such a
    process is known from the last refresh.
    """

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions
        self._owners: dict[Process, str] = {}
        self._refreshed = 0.0

    def refresh(self) -> None:
        """Record which processes descend from which session, at most every 10 s."""
        if time.monotonic() - self._refreshed < _REFRESH:
            return
        self._refreshed = time.monotonic()
        stats = {stat.pid: stat for stat in procfs.running()}
        roots = self._roots(membership.roots(self._sessions))
        owners = membership.owners(stats, roots, lambda _: "")
        self._owners = {Process(pid, stats[pid].ticks): owner for pid, owner in owners.items()}

    def owners(self) -> dict[int, str]:
        """Map processes to their sessions; processes outside any session are left out."""
        stats = {stat.pid: stat for stat in procfs.running()}
        roots = self._roots(membership.roots(self._sessions))
        return membership.owners(stats, roots, procfs.mark_of)

    def members(self, session_id: str, leader: Leader | None) -> set[int]:
        """Return the living processes of a session, including reparented ones."""
        known = _with_leader(membership.roots(self._sessions), session_id, leader)
        return membership.members(session_id, self._roots(known))

    def _roots(self, known: Roots) -> Roots:
        orphans = {
            process.pid: owner for process, owner in self._owners.items() if _is_orphan(process)
        }
        return Roots({**orphans, **known.leaders}, known.shims)


def _is_orphan(process: Process) -> bool:
    """Return whether a process of a session has become a child of this controller."""
    stat = procfs.read_stat(process.pid)
    ours = stat and stat.ticks == process.ticks and stat.parent == os.getpid()
    return bool(ours) and not membership.is_ours(process.pid)


def _with_leader(known: Roots, session_id: str, leader: Leader | None) -> Roots:
    """Return the roots and the leader of a session, whose folder may be missing."""
    if leader is None or not alive(leader):
        return known
    return Roots({**known.leaders, leader.pid: session_id}, known.shims)


def is_alive(process: Process | None) -> bool:
    """Return whether exactly this process is alive."""
    stat = procfs.read_stat(process.pid) if process else None
    return bool(process and stat and stat.ticks == process.ticks and stat.state not in "ZX")


def is_stopped(process: Process | None) -> bool:
    """Return whether a process was stopped by a signal (SIGSTOP, SIGTSTP)."""
    stat = procfs.read_stat(process.pid) if process else None
    return bool(process and stat and stat.ticks == process.ticks and stat.state in "Tt")


def find_shim(folder: SessionFolder, pid: int = 0) -> Process | None:
    """Return the living shim of a session; search all processes unless `pid` is given.

    The folder is not read: it may be missing.
    """
    stats = [procfs.read_stat(pid)] if pid else procfs.running()
    for stat in stats:
        if stat and membership.shim_folder(stat.pid) == str(folder.path):
            return Process(stat.pid, stat.ticks)
    return None


def find_leader(session_id: str, run: int, shim: Process | None) -> Leader | None:
    """Return a session's first process without its folder, by mark and descent."""
    for stat in procfs.running():
        if stat.pid == stat.session and procfs.mark_of(stat.pid) == session_id:
            pid = shim.pid if shim else 0
            if stat.parent == pid or not shim:
                boot = procfs.boot_id()
                return Leader(run=run, pid=stat.pid, ticks=stat.ticks, boot=boot, shim=pid)
    return None


def terminate(leader: Leader) -> None:
    """Send SIGTERM to the session's process group, if exactly this leader is alive."""
    if alive(leader):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader.pid, signal.SIGTERM)


def send_signal(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes; those that have ended meanwhile are skipped."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap(pid: int) -> int | None:
    """Reap a child and return its exit code, negative for a signal; None if it is alive."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def reap_if_child(pid: int) -> None:
    """Reap a process if it is our child and has ended."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def reap_group(group: int) -> bool:
    """Reap our ended children in a process group; return whether any child is left."""
    try:
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def exit_of(leader: Leader) -> tuple[int, str] | None:
    """Return exit code and signal of a leader that has ended but was not reaped by its shim.

    None if the process has been reaped.
    """
    status = procfs.exit_status(leader.pid, leader.ticks)
    if status is None or leader.boot != procfs.boot_id():
        return None
    reap_if_child(leader.pid)
    return procfs.exit_of(status)


def start_shim(folder: SessionFolder, state_dir: str) -> int:
    """Start a shim for a prepared folder and return its pid. Raises OSError.

    The lock is taken here and inherited, so that a shim that is still starting never looks like
    one that has ended.
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
