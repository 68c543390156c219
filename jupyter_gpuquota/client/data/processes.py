"""Starting the process of a job, which outlives its starter."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING

from ...errors import GpuQuotaError, Unavailable, Unsupported
from ...hosting import detach
from ...model.struct import Problem, error_of
from ..connection import servers
from ..connection.context import Context
from ..connection.transport import SocketTransport

if TYPE_CHECKING:
    import subprocess

MODULE = "jupyter_gpuquota.store"
_LAST_WORDS = 4000


class JobProcess:
    """The process of a job that this process has started."""

    def __init__(self, job: str, starter: subprocess.Popen[bytes], words: IO[bytes]) -> None:
        self.job = job
        self._starter = starter
        self._words = words

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._starter.poll() is not None

    def failure(self) -> GpuQuotaError:
        """Return the error of one that has ended without a report."""
        end = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, end - _LAST_WORDS))
        said = self._words.read().decode(errors="replace").strip()
        last = said.splitlines()[-1] if said else ""
        import msgspec  # noqa: PLC0415 (keeps the import light)

        try:
            return error_of(msgspec.json.decode(last, type=Problem))
        except msgspec.MsgspecError:
            code = self._starter.returncode
            return Unavailable(f"The process of the job exited at once (status {code}).\n{said}")

    def leave(self) -> None:
        """Let it go on alone."""
        if self._starter.stdin:
            self._starter.stdin.close()
        self._starter.wait()
        self._words.close()


def start(context: Context, verb: str, options: Mapping[str, str], *words: str) -> JobProcess:
    """Start the process of a job. Raises Unsupported, Unavailable."""
    import subprocess  # noqa: PLC0415 (keeps the import light)
    import tempfile  # noqa: PLC0415 (the same)

    job = os.urandom(6).hex()
    given = [f"--{name}={value}" for name, value in options.items() if value]
    program = [sys.executable, "-m", MODULE, verb, f"--job={job}", *given, "--", *words]
    said = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `leave`)
    try:
        starter = subprocess.Popen(
            [sys.executable, "-I", "-S", detach.__file__, *program],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            env=_environment(context, os.environ),
        )
    except OSError as error:
        said.close()
        raise Unavailable(f"The job's process cannot be started: {error}.") from error
    return JobProcess(job, starter, said)


def _environment(context: Context, found: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which the process finds the server that we have found.

    Raises Unsupported.
    """
    transport = context.transport()
    if isinstance(transport, SocketTransport):
        return {**found, **transport.location.environment}
    known = (servers.parent(), servers.of_hub())
    if not transport.url or any(each and each.url == transport.url for each in known):
        return dict(found)
    raise Unsupported(
        "A job on data finds its controller by the environment, not by a URL and a token.",
        hint="Run this in a terminal or a notebook of that JupyterLab.",
    )
