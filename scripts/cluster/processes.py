"""The cluster's programs as processes that end with their parent."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Mapping
from pathlib import Path

from .parts import Part

GRACE_SECONDS = 10.0
RESTART_SECONDS = 1.0
"""Seconds until a program that restarts is started again."""
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Variables that programs inherit. KWOK hands its environment on to `exec`."""

KILL_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")
"""Whatever happens to the parent, its main thread included, the kernel then ends the program."""


class NotRunning(RuntimeError):
    """A program ended although nobody asked it to."""


class Processes:
    """The programs that run; each writes its log."""

    def __init__(self, parts: Mapping[str, Part], folder: Path, logs: Path) -> None:
        self._parts = parts
        self._folder = folder
        self._logs = logs
        self._running: dict[str, Process] = {}
        self._following: dict[str, asyncio.Task[None]] = {}

    async def start(self, name: str) -> None:
        """Start a program, unless it runs. Raises KeyError for an unknown name."""
        part = self._parts[name]
        if self.runs(name):
            return
        kept = {key: os.environ[key] for key in KEPT if key in os.environ}
        with (self._logs / f"{name}.log").open("ab") as log:
            process = self._running[name] = await asyncio.create_subprocess_exec(
                *KILL_WITH_PARENT,
                *part.command,
                cwd=self._folder,
                env={**kept, **part.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if part.restarts:
            self._following[name] = asyncio.create_task(self._follow(name, process))

    async def _follow(self, name: str, process: Process) -> None:
        """Start a program again once it has ended by itself."""
        await process.wait()
        await asyncio.sleep(RESTART_SECONDS)
        await self.start(name)

    async def stop(self, name: str, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to a program and wait until it has ended; kill it if that takes long."""
        if following := self._following.pop(name, None):
            following.cancel()
        process = self._running.pop(name, None)
        if process is None or process.returncode is not None:
            return
        process.send_signal(number)
        try:
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def kill_all(self) -> None:
        """End all programs at once; nothing that they have is kept."""
        await asyncio.gather(*(self.stop(name, signal.SIGKILL) for name in [*self._running]))

    def runs(self, name: str) -> bool:
        """Return whether a program runs."""
        process = self._running.get(name)
        return process is not None and process.returncode is None

    def pids(self) -> dict[str, int]:
        """Return the ids of the processes that run."""
        return {name: process.pid for name, process in self._running.items() if self.runs(name)}

    def check(self) -> None:
        """Raise NotRunning, with the end of its log, if a program has ended by itself for good."""
        for name, process in self._running.items():
            if process.returncode is not None and not self._parts[name].restarts:
                log = (self._logs / f"{name}.log").read_text(errors="replace")
                raise NotRunning(f"{name} ended with {process.returncode}:\n{log[-3000:]}")
