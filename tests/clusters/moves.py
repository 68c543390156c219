"""Requests with several places, in the clusters of `two`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jupyter_gpuquota.core.fallbacks import Place
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.builders import make_spec


def places(name: str = "exp-1", gpu: str = "4", *clusters: str) -> list[Place]:
    """Return the same request in the first cluster and in the cloud."""
    projects = {"lab": "team-a", "cloud": "cloud/demo"}
    return [
        Place(name=each, cluster=each, spec=make_spec(name, gpu, project=projects[each]))
        for each in clusters or ("lab", "cloud")
    ]


async def create(backend: Backend, wait: int = 0, **fields: Any) -> Session:
    """Create a session that waits so many seconds in each place."""
    assert backend.fallbacks
    return await backend.fallbacks.create(fields.get("places", places()), wait, "me")


def find(backend: Backend, session_id: str) -> Session | None:
    """Return a session, None if there is no such one."""
    return next((each for each in backend.sessions.all() if each.id == session_id), None)


def is_in(cluster: str, state: str) -> Callable[[Session], bool]:
    """Return a function that says whether a session is in a place, in a state."""

    def there(session: Session) -> bool:
        found = session.fallback
        return bool(found and found.cluster == cluster and session.state == state)

    return there
