"""Run a command, and write the processor seconds of all its processes to a file.

    python -m scripts.metered FILE COMMAND [ARGUMENT ...]

Processes that leave their parent, such as controllers, are counted, too, once they have ended: the
kernel makes them children of the nearest "child subreaper" (prctl(2)), which is this process.
Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PR_SET_CHILD_SUBREAPER = 36


def run_metered(usage: Path, command: Sequence[str]) -> int:
    """Run a command and return its exit code as a shell does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Who ends the run signals the whole process group; the command decides when it has ended.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    process = subprocess.Popen(command)
    code = _wait_and_reap(process.pid)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    usage.write_text(f"{used.ru_utime + used.ru_stime:.1f}\n", encoding="ascii")
    return code


def _wait_and_reap(pid: int) -> int:
    """Wait for one child, and for the adopted ones that have ended by then."""
    ended, status = os.wait()
    while ended != pid:
        ended, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    with suppress(ChildProcessError):  # there is none
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run_metered(Path(sys.argv[1]), sys.argv[2:]))
