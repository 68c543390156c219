"""The process of a container."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

from ..processes import KILL_WITH_PARENT
from .launch import Launch
from .logs import write_log

SIGNALLED = 128


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
        process = await asyncio.create_subprocess_exec(
            *KILL_WITH_PARENT,
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
        return code if code >= 0 else SIGNALLED - code

    async def end(self, grace: float) -> int:
        """Send SIGTERM, and SIGKILL to what runs after the grace period, in seconds."""
        self._signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(self.wait(), grace)
        except TimeoutError:
            return await self._kill()
        finally:
            self._signal(signal.SIGKILL)  # its children

    async def _kill(self) -> int:
        self._signal(signal.SIGKILL)
        return await self.wait()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if number == signal.SIGTERM:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)


async def _copy(process: asyncio.subprocess.Process, log: Path) -> None:
    with log.open("ab") as file:
        outputs = (("stdout", process.stdout), ("stderr", process.stderr))
        copies = [write_log(output, name, file) for name, output in outputs if output]
        await asyncio.gather(*copies)
