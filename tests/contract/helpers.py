"""What the contract tests share: launching, waiting, and abilities that a backend may lack."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.ports.backend import CAPABILITIES, Backend
from tests.waiting import patience


async def launch(
    backend: Backend,
    name: str = "exp-1",
    owner: str = "me",
    mounts: tuple[Mount, ...] = (),
    session_id: str = "",
    **fields: Any,
) -> Session:
    """Check a request as the use case does, and create the session; `mounts` are not checked."""
    request = SessionRequest(
        **{"name": name, "project": "team-a", "command": ("sleep", "600"), **fields}
    )
    place = await backend.inventory.look_up(request)
    found = backend.inventory
    facts = specs.Facts(projects=found.projects(), nodes=found.nodes(), place=place, fits=found.fit)
    spec = structs.replace(specs.check(request, facts), volumes=mounts)
    return await backend.sessions.create(spec, owner, session_id)


async def until(
    backend: Backend, session_id: str, wanted: str | Callable[[Session], bool]
) -> Session:
    """Wait for a state of a session, by the backend's own notice of changes."""
    deadline = asyncio.get_running_loop().time() + patience()
    seen: Session | None = None
    while asyncio.get_running_loop().time() < deadline:
        since = (await backend.changes.changed("", 0)).latest
        seen = next((s for s in backend.sessions.all() if s.id == session_id), None)
        if seen and (wanted(seen) if callable(wanted) else seen.state == wanted):
            return seen
        await backend.changes.changed(since, 1.0)
    pytest.fail(f"never came: {wanted}; last seen {seen}")


async def run(backend: Backend, name: str = "exp-1", owner: str = "me", **fields: Any) -> Session:
    """Launch a session and wait until it runs."""
    return await until(backend, (await launch(backend, name, owner, **fields)).id, "running")


def able(backend: Backend, name: str) -> Any:
    """Return an optional capability; skip the test if the backend declares that it lacks it."""
    ability = getattr(backend, name)
    if ability is None:
        pytest.skip(f"the {backend.name} backend declares that it {CAPABILITIES[name]}")
    return ability
