"""The process of a container."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from ..processes import KILL_WITH_PARENT
from .launch import Launch
from .logs import write_log

INIT = (sys.executable, str(Path(__file__).resolve().parents[2] / "contained.py"))
"""The first process of a container: it ends detached programs with it, too."""
CHILDLESS = ("sleep", "true", "false")
"""Programs of most pods, which start no others: they need no first process, which takes a while."""


class ContainerProcess:
    """One run of a container's program."""

    def __init__(self, process: asyncio.subprocess.Process, copying: asyncio.Task[None]) -> None:
        self._process = process
        self._copying = copying

    @classmethod
    async def start(cls, launch: Launch, log: Path) -> ContainerProcess:
        """Start it. Raises OSError if its folder cannot be made."""
        program = launch.program
        program.folder.mkdir(parents=True, exist_ok=True)
        alone = program.command[0] in CHILDLESS
        process = await asyncio.create_subprocess_exec(
            *KILL_WITH_PARENT,
            *(() if alone else (*INIT, *KILL_WITH_PARENT)),
            *program.command,
            cwd=program.folder,
            env=launch.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return cls(process, asyncio.create_task(_copy(process, log)))

    @property
    def running(self) -> bool:
        """Return whether it still runs."""
        return self._process.returncode is None

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code as Kubernetes counts it."""
        code = await self._process.wait()
        # A child may have inherited the output and keep it open.
        await asyncio.wait({self._copying}, timeout=1)
        return code if code >= 0 else 128 - code

    async def end(self, grace: float) -> int:
        """Send SIGTERM, and SIGKILL to what runs after the grace period, in seconds."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(self.wait(), grace)
        except TimeoutError:
            self._kill_descendants()
            return await self.wait()

    def _kill_descendants(self) -> None:
        with suppress(psutil.NoSuchProcess):
            for process in psutil.Process(self._process.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    process.kill()


async def _copy(process: asyncio.subprocess.Process, log: Path) -> None:
    with log.open("ab") as file:
        outputs = (("stdout", process.stdout), ("stderr", process.stderr))
        copies = [write_log(output, name, file) for name, output in outputs if output]
        await asyncio.gather(*copies)
