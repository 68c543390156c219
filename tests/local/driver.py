"""A local backend in a process of its own, which a test may kill at any moment.

    python -m tests.local.driver SETTINGS_JSON CLOCK_JSON

The clock has a `rate`, and is `ahead` by seconds. Reads `[name, argument, …]` a line, answers a
JSON value a line; an error is `{"error": code}`.
"""

from __future__ import annotations

import asyncio
import errno
import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.local.opening import open_backend
from tests.local.policies import set_policy, warned


class Driver:
    """Do by name what a test asks for."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

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

    async def sessions(self) -> Any:
        return self.backend.sessions.all()

    async def warnings(self) -> Any:
        return self.backend.changes.warnings()

    async def fill(self, path: str) -> Any:
        return await asyncio.to_thread(fill, Path(path))

    async def free(self, path: str) -> Any:
        Path(path).unlink()

    async def close(self) -> Any:
        await self.backend.resident.close()


def fill(path: Path) -> None:
    """Fill the disk on which a file is, to the last byte."""
    size = 65_536
    with path.open("ab", buffering=0) as file:
        while size:
            try:
                file.write(b"x" * size)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2


async def main() -> None:
    settings, clock = (json.loads(word) for word in sys.argv[1:])
    try:
        backend = open_backend(
            settings, clock=Clock(clock["rate"], timedelta(seconds=clock["ahead"]))
        )
        await backend.resident.start()
        answer(None)
    except GpuQuotaError as error:
        answer({"error": error.code, "message": str(error)})
        return
    driver = Driver(backend)
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
    asyncio.run(main())
