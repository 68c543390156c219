"""What a request would come to, and what could be had instead."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import ask, make_backend

pytestmark = pytest.mark.asyncio


async def preview(backend: Backend, **fields: Any) -> Any:
    request = SessionRequest(**{"name": "asked", "project": "team-a", **fields})
    return await ask(backend, "sessions.preview", body=request)


async def crowded() -> Backend:
    """Return a backend whose team-a uses all of its quota, while GPUs are free."""
    made = make_backend()
    full = SessionRequest(name="full", project="team-a", gpu=4)
    await ask(made, "sessions.create", body=full)
    return made


async def test_what_is_queued_for_its_quota_would_start_as_spot() -> None:
    backend = await crowded()
    found = await preview(backend, gpu=1)
    assert (found.verdict, found.nearest_kind) == ("waits", "interactive-spot")
    assert found.message.endswith("It would start now if others could preempt it.")
    assert (await preview(backend, gpu=1, kind="interactive-spot")).verdict == "borrows"


async def test_what_is_over_the_quota_would_be_allowed_as_spot() -> None:
    backend = await crowded()
    found = await preview(backend, gpu=5)
    assert (found.verdict, found.nearest_kind) == ("forbidden", "interactive-spot")
    assert [problem.field for problem in found.problems] == ["gpu"]


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"gpu": 1, "project": "team-b"}, "fits"),
        ({"gpu": 99}, "forbidden"),
        ({"gpu": 5, "ports": (80,)}, "forbidden"),
        ({"gpu": 1, "name": "full"}, "forbidden"),
        ({"gpu": 16, "kind": "train", "command": ("x",)}, "forbidden"),
    ],
)
async def test_no_other_kind_is_offered_that_would_not_help(
    fields: dict[str, Any], verdict: str
) -> None:
    backend = await crowded()
    found = await preview(backend, **fields)
    assert (found.verdict, found.nearest_kind) == (verdict, None)


async def test_the_request_of_a_session_is_made_again() -> None:
    backend = await crowded()
    session = backend.sessions.all()[0]
    again = await ask(backend, "sessions.request", args={"id": session.id})
    assert (again.gpu, again.project, again.base_url) == ("4", "team-a", "/")
