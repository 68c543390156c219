"""Every route as every caller, by the rights that a cluster grants: the same table holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.control.access import EntryLog
from jupyter_gpuquota.errors import GpuQuotaError, InvalidFields, NotAllowed, NotFound
from jupyter_gpuquota.kubernetes.rights import roles
from jupyter_gpuquota.kubernetes.rights.access import ClusterAccess, SessionTokens
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.access.asking import ROWS, check
from tests.contract.access_contract import ask
from tests.contract.access_table import ADMIN, PEOPLE, caller
from tests.contract.helpers import run
from tests.fakes import make_backend
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_rbac import Rbac

pytestmark = pytest.mark.asyncio

TEAM, OTHER = "team-c", "team-b"
BINDINGS = (
    ("member", "owner", TEAM),
    ("member", "member", TEAM),
    ("lead", "lead", TEAM),
    ("viewer", "viewer", TEAM),
    ("member", "outsider", OTHER),
    ("admin", ADMIN, ""),
)


def by_rules(backend: Backend, *bindings: tuple[str, str, str]) -> Backend:
    """Return a backend whose callers have the rights that a cluster's rules grant."""
    api, rbac = FakeApi(), Rbac()
    rbac.install(api)
    for binding in bindings or BINDINGS:
        rbac.bind(*binding)

    async def token_of(session: Session) -> str:
        return backend.access.token_of(session)

    async def note(who: str, what: str) -> None:
        assert " of owner" in what
        assert who == ADMIN or (who == "lead" and not what.startswith("opened"))

    access = ClusterAccess(
        api,
        roles.team("kueue"),
        lambda: [project.name for project in backend.inventory.projects()],
        SessionTokens(backend.resident.board.by_id.get, token_of),
        EntryLog(note),
        prefixes={"token": ""},
    )
    return replace(backend, access=access)


async def test_the_table_of_routes_and_roles() -> None:
    async def status(backend: Backend, name: str, who: str, session_id: str) -> int:
        try:
            await ask(backend, name, who, session_id)
        except GpuQuotaError as error:
            return status_of(error)
        return 200

    await check(status, ROWS, by_rules)


PROJECTS = (
    {"name": TEAM, "quota": "2", "members": list(PEOPLE)},
    {"name": OTHER, "quota": "2"},
)
"""What the lists of members say makes no difference on a cluster."""


async def test_lists_of_members_grant_nothing() -> None:
    backend = by_rules(make_backend(PROJECTS, admins=("eve",)), ("viewer", "nobody", TEAM))
    rights = await backend.access.rights(replace(caller("member"), name="eve"))
    assert (rights.admin, rights.roles) == (False, {})


async def test_a_launch_that_is_refused_names_the_rule() -> None:
    backend = by_rules(make_backend(PROJECTS))
    rights = await backend.access.rights(caller("viewer"))
    body = SessionRequest(name="new", project=TEAM)
    with pytest.raises(InvalidFields) as caught:
        await perform(backend, route("sessions.create"), rights, {}, None, body)
    [problem] = [each for each in caught.value.fields if each.field == "project"]
    assert problem.hint == f"It needs the right to create statefulsets and jobs in {TEAM}."


async def test_who_left_the_team_has_no_rights_on_own_sessions() -> None:
    made = make_backend(PROJECTS)
    session = await run(made, owner="owner", project=TEAM)
    backend = by_rules(made, ("viewer", "owner", TEAM))
    with pytest.raises(NotAllowed, match="You may not stop"):
        await ask(backend, "sessions.stop", "owner", session.id)
    backend = by_rules(made, ("member", "owner", OTHER))
    with pytest.raises(NotFound):
        await ask(backend, "sessions.stop", "owner", session.id)
    assert (await ask(backend, "sessions.list", "owner", "")).items == ()
