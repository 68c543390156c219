"""The extension inside a Jupyter Server, with a controller of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.unix import UnixConnection
from tests.chosen import location
from tests.waiting import patience


@pytest.fixture
def controller(tmp_path: Path) -> Iterator[Location]:
    """Where the controller lives, which ends with the test."""
    found = location(tmp_path / "state")
    yield found
    connection = UnixConnection(found.socket, 30)
    try:
        connection.request("POST", "/gpuquota/retire")
        connection.getresponse().read()
    except FileNotFoundError:
        pass  # it was never needed
    finally:
        connection.close()


@pytest.fixture
def jp_server_config(controller: Location) -> dict[str, Any]:
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_gpuquota": True},
            "allow_unauthenticated_access": False,
        },
        "GpuQuota": {"state_dir": str(controller.state_dir)},
    }


@pytest.fixture
def extension(jp_serverapp, jp_asyncio_loop) -> Any:
    """The extension, run the way a server does; `jp_serverapp` stops it."""
    (extension,) = jp_serverapp.extension_manager.extension_apps["jupyter_gpuquota"]
    jp_asyncio_loop.run_until_complete(extension._start_jupyter_server_extension(jp_serverapp))
    return extension


async def reaches(ask: Callable[..., Awaitable[Any]], path: str, state: str) -> dict[str, Any]:
    """Wait until a session is in a state, and return it."""

    async def look() -> Any:
        found = json.loads((await ask("GET", path)).body)
        return found if found["state"] == state else None

    return await eventually(look)


async def eventually(look: Callable[[], Awaitable[Any]]) -> Any:
    """Wait until something is there, and return it."""
    async with asyncio.timeout(patience()):
        while not (found := await look()):  # noqa: ASYNC110 (processes have no event)
            await asyncio.sleep(0.05)
        return found
