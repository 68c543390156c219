"""Calls of every route as every caller, through any entry point."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import urlencode

import msgspec

from jupyter_gpuquota.model.routes.table import ROUTES, route
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.contract import snapshots
from tests.contract.access_contract import is_lacking, make_template, make_volume
from tests.contract.access_table import ADMIN, ALLOWED, PEOPLE, PORT, REQUESTS
from tests.contract.backend_contract import PROJECTS
from tests.contract.data import for_the_table
from tests.contract.helpers import launch
from tests.fakes import ShortTerminals, make_backend

Status = Callable[[Backend, str, str, str], Awaitable[int]]
"""Ask for a route as a caller, for a session; return the HTTP status."""

GRANTED = {200, 201, 202, 409, 501}
"""What an answer may be to who has the right: the state or the backend may still say no."""
NO_RIGHT, HIDDEN = 403, 404
DATA = ("{dataset}", "{job}", "{volume}")
"""Arguments of routes that are about a dataset, a job on it, or a volume."""
SNAPSHOT = "{snapshot}"
"""The argument of routes that are about a snapshot."""
FORMS = {"sessions.create", "datasets.create", "volumes.create"}
"""Routes whose answers say which field is not allowed."""

ROWS = [row.name for row in ROUTES]
PUBLIC = [row.name for row in ROUTES if not row.internal]


def wanted(name: str, who: str) -> set[int]:
    """Return the statuses that a caller may be answered with."""
    if who in ALLOWED[name]:
        return GRANTED
    path = route(name).path
    hidden = who == "outsider" and any(word in path for word in ("{id}", *DATA))
    hidden |= who not in {"session", ADMIN} and SNAPSHOT in path
    hidden |= who == ADMIN and SNAPSHOT in path  # a tag is seen by the owner only
    form = {422} if name in FORMS and who != "session" else set()
    return {HIDDEN} if hidden else {NO_RIGHT} | form


def request_of(name: str, session_id: str) -> tuple[dict[str, str], str, bytes]:
    """Return path arguments, query string and body of a row."""
    asked = REQUESTS.get(name, {})
    args = dict(asked.get("args", {"id": session_id, "page": "p1", "terminal": "t1"}))
    query = msgspec.to_builtins(asked["query"]) if "query" in asked else {}
    plain = {key: value for key, value in query.items() if value not in ("", None)}
    text = urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in plain.items()})
    body = msgspec.json.encode(asked["body"]) if "body" in asked else b"{}"
    return args, text, body


async def check(
    status: Status, names: list[str], rights: Callable[[Backend], Backend] = lambda backend: backend
) -> None:
    """Call routes as every caller; `rights` may replace their source.

    Who is allowed finds a new backend; who is not, one for each route, and leaves it as it was.
    """
    wrong = []
    for name in names:
        refused = [who for who in (*PEOPLE, "session") if who not in ALLOWED[name]]
        for some in (refused, *([who] for who in (*PEOPLE, "session") if who in ALLOWED[name])):
            made = replace(make_backend(PROJECTS, admins=(ADMIN,)), terminals=ShortTerminals())
            backend = rights(made)
            if is_lacking(backend, name):
                break
            session = await _prepare(backend, name)
            before = backend.changes.revision("sessions")
            for who in some:
                found = await status(backend, name, who, session.id)
                if found not in wanted(name, who):
                    wrong.append((name, who, found))
            if some is refused and backend.changes.revision("sessions") != before:
                wrong.append((name, "refused", 0))
    assert wrong == [], wrong


async def _prepare(backend: Backend, name: str) -> Session:
    """Make what a route is about; return the session."""
    session = await launch(backend, owner="owner", project="team-c", ports=(PORT,))
    if any(word in route(name).path for word in DATA):
        await for_the_table(backend, PEOPLE)
        await make_volume(backend)
    if name == "templates.delete":
        await make_template(backend)
    if SNAPSHOT in route(name).path:
        await snapshots.for_the_table(backend, session)
    return session
