"""Rights that depend on a body, a query or an object: each variant is asked as every caller."""

from __future__ import annotations

import ast
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

import jupyter_gpuquota.services
from jupyter_gpuquota.errors import GpuQuotaError, NotAllowed, NotFound
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.access.conditional import ROWS, FakeSnapshots, Row
from tests.contract.access_contract import make_volume
from tests.contract.access_table import ADMIN, PEOPLE, PORT, caller
from tests.contract.backend_contract import PROJECTS
from tests.contract.data import for_the_table
from tests.contract.helpers import launch
from tests.fakes import ShortTerminals, make_backend

SERVICES = Path(jupyter_gpuquota.services.__file__).parent
Site = tuple[str, int]
"""A place in the source of the use cases: file and line."""


def sites() -> set[Site]:
    """Return where use cases ask for rights, or refuse for lack of them."""
    found = set()
    for path in SERVICES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if (isinstance(node, ast.Call) and _asks(node)) or (
                isinstance(node, ast.Raise) and "NotAllowed(" in ast.unparse(node)
            ):
                found.add((str(path.relative_to(SERVICES)), node.lineno))
    return found


def _asks(call: ast.Call) -> bool:
    """Return whether a call is `rights.check…(…)` or `call.rights.check…(…)`."""
    words = ast.unparse(call.func).split(".")
    return len(words) > 1 and words[-2] == "rights" and words[-1].startswith("check")


IN_A_FIELD = {site for site in sites() if site[0] == "launches/data.py"}
"""Where a refusal is not an error: the form shows it beside the dataset."""


def refused_at(error: BaseException) -> set[Site]:
    """Return the places in use cases that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        (str(Path(frame.filename).relative_to(SERVICES)), frame.lineno or 0)
        for frame in frames
        if frame.filename.startswith(f"{SERVICES}/")
    }


async def prepared(row: Row) -> tuple[Backend, Session]:
    """Return a backend with what a row is about, and the session of the table."""
    made = make_backend(PROJECTS, admins=(ADMIN,))
    backend = replace(made, terminals=ShortTerminals())
    if row.name.startswith("snapshots."):
        backend = replace(backend, snapshots=FakeSnapshots())
    session = await launch(backend, owner="owner", project="team-c", ports=(PORT,))
    await for_the_table(backend, PEOPLE)
    await make_volume(backend)
    if row.before:
        await row.before(backend, session)
    return backend, session


async def refused(backend: Backend, session: Session, row: Row, who: str) -> set[Site]:
    """Ask for a row as a caller of the table; return where it was refused, if it was."""
    rights = row.rights(await backend.access.rights(caller(who, session.id)))
    args = {"id": session.id} | row.args
    try:
        found = await perform(backend, route(row.name), rights, args, row.query, row.body)
    except (NotAllowed, NotFound) as error:
        return refused_at(error)
    except GpuQuotaError:
        return set()  # the state or the backend says no, not the rights
    fields = found.problems if isinstance(found, Preview) else ()
    return IN_A_FIELD if any(each.field.startswith("data") for each in fields) else set()


@pytest.mark.asyncio
async def test_each_variant_is_refused_to_who_may_not() -> None:
    everyone = {*PEOPLE, "session"}
    refusing: set[Site] = set()
    wrong = []
    for row in ROWS:
        backend, session = await prepared(row)
        for who in sorted(everyone - row.allowed):
            found = await refused(backend, session, row, who)
            refusing |= found
            wrong += [] if found else [f"{row.name} {row.variant} as {who} was granted"]
        for who in sorted(row.allowed):
            found = await refused(backend, session, row, who)
            wrong += [f"{row.name} {row.variant} as {who}: refused"] if found else []
            backend, session = await prepared(row)
    assert not wrong, "\n".join(wrong)
    assert sites() - refusing == set(), "no row is refused here: add one to ROWS"
