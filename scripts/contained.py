"""Run a command, and end every process that it started with it, including detached ones.

    python -m scripts.contained COMMAND [ARGUMENT ...]

When a process leaves its process group (a controller, its shims, their sessions) and its parent
ends, the kernel makes it a child of the nearest "child subreaper" above it (prctl(2),
PR_SET_CHILD_SUBREAPER): this process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PR_SET_CHILD_SUBREAPER = 36
GRACE_SECONDS = 5


def run_contained(command: Sequence[str], env: Mapping[str, str] | None = None) -> int:
    """Run a command, forward SIGTERM and SIGINT to it, and return its exit code as a shell does.

    When it has ended, all its descendants are terminated, then killed.
    """
    adopt_orphans()
    process = subprocess.Popen(command, env=env)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.send_signal(signal.SIGTERM))
    try:
        return _wait_and_reap(process.pid)
    finally:
        end_descendants()


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _wait_and_reap(pid: int) -> int:
    """Wait for one child, reaping adopted ones as init would."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def end_descendants() -> None:
    """Terminate all descendants, and kill those that do not end; repeat for new ones."""
    while running := psutil.Process().children(recursive=True):
        for process in running:
            _send(process, signal.SIGTERM)
        _, stubborn = psutil.wait_procs(running, timeout=GRACE_SECONDS)
        for process in stubborn:
            _send(process, signal.SIGKILL)
        psutil.wait_procs(stubborn)


def _send(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return  # it ended in between


if __name__ == "__main__":
    sys.exit(run_contained(sys.argv[1:]))
