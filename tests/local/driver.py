"""A local backend in a process of its own, which a test may kill at any moment.

    python -m tests.local.driver SETTINGS_JSON CLOCK_JSON

Most tests do not run it so but have a process forked that has imported it: that is sooner there.

The clock has a `rate`, and is `ahead` by seconds. Reads `[name, argument, …]` a line, answers a
JSON value a line; an error is `{"error": code}`.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import launch, until
from tests.disk import fill
from tests.local.opening import open_backend
from tests.local.policies import set_policy, warned


class Driver:
    """Runs the commands of a test, by name."""

    def __init__(self, backend: Backend, open_another: Callable[[], Backend]) -> None:
        self.backend = backend
        self._open_another = open_another

    async def launch(self, name: str, fields: dict[str, Any]) -> Any:
        fields = {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
        return await launch(self.backend, name, **fields)

    async def until(self, session_id: str, state: str) -> Any:
        return await until(self.backend, session_id, state)

    async def warned(self, session_id: str, after: str = "") -> Any:
        other = datetime.fromisoformat(after) if after else None
        return await warned(self.backend, session_id, other)

    async def limit(self, rules: dict[str, Any]) -> Any:
        await set_policy(self.backend, **rules)

    async def suspend(self, session_id: str) -> Any:
        return await self.backend.sessions.suspend(session_id)

    async def put_page(self, session_id: str, page: str, state: str) -> Any:
        report = PageReport(state=state)
        await self.backend.sessions.put_page(session_id, page, report)

    async def sessions(self) -> Any:
        return self.backend.sessions.all()

    async def warnings(self) -> Any:
        return self.backend.changes.warnings()

    async def end(self, verb: str, session_id: str) -> Any:
        return await getattr(self.backend.sessions, verb)(session_id)

    async def leave(self) -> Any:
        """Close the backend, to start another one on the same folder."""
        await self.backend.resident.close()

    async def again(self) -> Any:
        self.backend = self._open_another()
        await self.backend.resident.start()

    async def fill(self, path: str, leave: int = 0) -> Any:
        return await asyncio.to_thread(fill, Path(path), leave)

    async def free(self, path: str) -> Any:
        Path(path).unlink()

    async def room(self, path: str) -> Any:
        return shutil.disk_usage(path).free

    async def projects(self) -> Any:
        return self.backend.inventory.projects()

    async def put_project(self, name: str, members: list[str]) -> Any:
        project = Project(name=name, quota=1, members=tuple(members), revision="")
        return await self.backend.administration.put_project(project, "ana")

    async def close(self) -> Any:
        await self.backend.resident.close()


def forked(channel: socket.socket, words: list[str], env: dict[str, str]) -> None:
    """Run in a process that was forked; `channel` becomes its standard input and output."""
    os.environ.clear()
    os.environ.update(env)
    for number in (0, 1):
        os.dup2(channel.fileno(), number)
    channel.close()
    sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")  # noqa: SIM115
    asyncio.run(main(words))


async def main(words: list[str]) -> None:
    settings, clock = (json.loads(word) for word in words)

    def open_another() -> Backend:
        ahead = timedelta(seconds=clock["ahead"])
        return open_backend(settings, clock=Clock(clock["rate"], ahead))

    try:
        backend = open_another()
        await backend.resident.start()
        answer(None)
    except GpuQuotaError as error:
        answer({"error": error.code, "message": str(error)})
        return
    driver = Driver(backend, open_another)
    while line := await asyncio.to_thread(sys.stdin.readline):
        name, *arguments = json.loads(line)
        try:
            answer(await getattr(driver, name)(*arguments))
        except GpuQuotaError as error:
            answer({"error": error.code, "message": str(error)})
        if name == "close":
            return


def answer(value: Any) -> None:
    print(msgspec.json.encode(value).decode(), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
