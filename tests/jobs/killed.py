"""A job that kills itself at a certain step.

    python -m tests.jobs.killed STEP ROOT WORDS…

A step is whatever changes something below ROOT. Step 0 kills nothing; the number of steps is then
printed at the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from threading import Lock
from typing import Any

from jupyter_gpuquota.jobs.main import main as job
from jupyter_gpuquota.store.processes import leave

CHANGES = {"os.rename", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.remove", "os.rmdir"}
"""Audit events of what changes a folder; `open` does if it is for writing."""


class Steps:
    """Counts the steps of this process, and kills it before one of them."""

    def __init__(self, step: int, root: str) -> None:
        self.count = 0
        self._step = step
        self._root = root
        self._lock = Lock()

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """Note an audit event."""
        if event == "open":
            changes = isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        else:
            changes = event in CHANGES
        path = str(args[0]) if changes else ""
        # A name without a folder is in one that is being removed.
        if not changes or (path.startswith("/") and not path.startswith(self._root)):
            return
        with self._lock:
            self.count += 1
            if self.count == self._step:
                os.kill(os.getpid(), signal.SIGKILL)


def run(step: int, root: str, words: list[str]) -> int:
    """Run the job; return its exit code."""
    steps = Steps(step, root)
    sys.addaudithook(steps)
    code = job(words)
    print(steps.count)  # noqa: T201 (the test reads it)
    return code


def main(argv: Sequence[str]) -> int:
    """Run the job that the arguments describe; return its exit code."""
    step, root, *words = argv
    return run(int(step), root, words)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
