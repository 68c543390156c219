"""Every route of the controller, with every caller's token, and without token."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.ports.backend import Backend
from tests.access.asking import ROWS, check, request_of
from tests.contract.access_table import PEOPLE, caller
from tests.controller.hosted import hosted

pytestmark = pytest.mark.asyncio


class Whichever:
    """The backend that a test currently uses."""

    backend: Any
    access: Any

    def __init__(self) -> None:
        self.access = self

    def __getattr__(self, name: str) -> Any:
        found = self.backend.access if name in {"rights", "session_of", "acted"} else self.backend
        return getattr(found, name)


async def test_through_the_controller(tmp_path) -> None:
    whichever = Whichever()
    async with hosted(tmp_path, backend=whichever) as controller:
        controller.known.tokens = {f"{who}-token": caller(who) for who in PEOPLE}

        async def ask(name: str, session_id: str, token: str) -> int:
            row = route(name)
            args, query, body = request_of(name, session_id)
            path = row.path.format(**args) + (f"?{query}" if query else "")
            sent = body if row.request else None
            return (await controller.api(row.method, path, token, sent)).code

        async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
            whichever.backend = backend
            session = backend.resident.board.find(session_id)
            own = backend.access.token_of(session)
            return await ask(name, session_id, own if who == "session" else f"{who}-token")

        await check(status, ROWS)
        for name in ROWS[:10]:  # guessing on is answered with 429
            assert await ask(name, "s1", "") == 401
