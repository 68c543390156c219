"""Every route as every caller: asked in the process, through JupyterLab, and of the controller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlencode

import msgspec
import pytest

from jupyter_gpuquota.api.dispatch import Asked
from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.model.routes import ROUTES, route
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.access_contract import ask
from tests.contract.access_table import ADMIN, ALLOWED, PEOPLE, REQUESTS, caller
from tests.contract.backend_contract import PROJECTS
from tests.contract.helpers import launch
from tests.fakes import As, make_backend

Status = Callable[[Backend, str, str, str], Awaitable[int]]
"""Ask for a route as a caller, for a session; return the HTTP status."""

GRANTED = {200, 201, 409, 501}
"""What an answer may be to who has the right: the state or the backend may still say no."""
NO_RIGHT, HIDDEN = 403, 404

ROWS = [row.name for row in ROUTES]
PUBLIC = [row.name for row in ROUTES if not row.internal]


def wanted(name: str, who: str) -> set[int]:
    """Return the statuses that a caller may be answered with."""
    if who in ALLOWED[name]:
        return GRANTED
    hidden = who == "outsider" and "{id}" in route(name).path
    # A form says which of its fields is not allowed.
    form = {422} if name == "sessions.create" and who != "session" else set()
    return {HIDDEN} if hidden else {NO_RIGHT} | form


def request_of(name: str, session_id: str) -> tuple[dict[str, str], str, bytes]:
    """Return path arguments, query string and body of a row."""
    asked = REQUESTS.get(name, {})
    args = asked.get("args", {"id": session_id})
    query = msgspec.to_builtins(asked["query"]) if "query" in asked else {}
    plain = {key: value for key, value in query.items() if value not in ("", None)}
    text = urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in plain.items()})
    body = msgspec.json.encode(asked["body"]) if "body" in asked else b"{}"
    return args, text, body


async def check(status: Status, names: list[str]) -> None:
    """Ask for routes as everybody, each on a session of its own."""
    wrong = []
    for name in names:
        for who in (*PEOPLE, "session"):
            backend = make_backend(PROJECTS, admins=(ADMIN,))
            session = await launch(backend, owner="owner", project="team-c")
            found = await status(backend, name, who, session.id)
            if found not in wanted(name, who):
                wrong.append((name, who, found))
    assert wrong == []


@pytest.mark.asyncio
async def test_in_the_process() -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        try:
            await ask(backend, name, who, session_id)
        except GpuQuotaError as error:
            return status_of(error)
        return 200

    await check(status, ROWS)


@pytest.mark.asyncio
async def test_as_the_dispatcher_decodes_it() -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        args, query, body = request_of(name, session_id)
        path = route(name).path
        taken = {key: value for key, value in args.items() if f"{{{key}}}" in path}
        sent = body if route(name).request else b""
        asked = Asked(route(name), args=taken, query=query, body=sent)
        try:
            return (await As(backend, caller(who, session_id)).dispatch(asked)).status
        except GpuQuotaError as error:
            return status_of(error)

    await check(status, ROWS)
