"""Starting the process of a job, from a shell, a Jupyter Server or a controller.

Standard library only: it runs in users' kernels too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import StorageFailed

MODULE = "jupyter_gpuquota.store"
JOBS = Path("data", "jobs")
"""The folder of logs, below a state folder."""
KEPT = 200
"""Logs that stay, the newest ones."""


class Spawned:
    """One process of a job that was started here; it outlives its starter."""

    def __init__(self, id_: str, process: subprocess.Popen[str], log: Path) -> None:
        self.id = id_
        self.log = log
        self._process = process
        # Somebody has to wait for it when it ends, also if nobody asks for its exit code.
        threading.Thread(target=process.wait, name=f"job-{id_}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The pid of the process, which is that of its group too."""
        return self._process.pid

    def exit_code(self, timeout: float | None = 0) -> int | None:
        """Return the exit code, None if the process runs for longer; `timeout` in seconds."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def said(self, most: int = 2000) -> str:
        """Return the end of what the process has written to its log, which may be nothing."""
        try:
            return self.log.read_bytes()[-most:].decode(errors="replace").strip()
        except OSError as error:
            return f"{self.log} cannot be read: {error.strerror}."


def new_id() -> str:
    """Return an id for a job."""
    return uuid.uuid4().hex[:12]


def spawn(
    verb: str,
    arguments: Sequence[str],
    *,
    state_dir: Path,
    job: str = "",
    environment: Mapping[str, str] | None = None,
) -> Spawned:
    """Start a job: a group of processes of its own, with its log in `data/jobs` of a state folder.

    It inherits this environment, with the credentials in it, changed by `environment`, which says
    where the controller is. Secrets never are arguments.

    :raises StorageFailed: its log cannot be written, or it cannot be started.
    """
    id_ = job or new_id()
    log = state_dir / JOBS / f"{id_}.log"
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _prune(log.parent)
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", MODULE, verb, "--job", id_, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd="/",
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                text=True,
            )
    except OSError as error:
        raise StorageFailed(
            f"The job cannot be started: {error.strerror}.", hint=f"Check {log.parent}."
        ) from error
    return Spawned(id_, process, log)


def _prune(folder: Path) -> None:
    """Remove the oldest logs. Raises OSError."""
    with os.scandir(folder) as entries:
        logs = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
    for _, path in sorted(logs)[:-KEPT]:
        Path(path).unlink(missing_ok=True)
