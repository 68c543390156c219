"""Use cases of admins, over a backend in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from msgspec import structs

from jupyter_gpuquota.errors import (
    InUse,
    InvalidFields,
    NotAllowed,
    Outdated,
    Unsupported,
)
from jupyter_gpuquota.model.projects import (
    AuditQuery,
    GroupsRequest,
    ProjectRemoval,
    ProjectRequest,
    RulesRequest,
)
from jupyter_gpuquota.model.quota import Department, Quota
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.usage import Usage
from tests import fakes
from tests.fakes import make_backend, me

pytestmark = pytest.mark.asyncio


async def ask(backend: Backend, name: str, user: str = "ana", **fields: Any) -> Any:
    return await fakes.ask(backend, name, user, **fields)


def guarded(**fields: Any) -> Backend:
    return make_backend(admins=("ana",), **fields)


async def put(backend: Backend, path: str, user: str = "ana", **fields: Any) -> Any:
    body = ProjectRequest(**fields)
    return (await ask(backend, "projects.put", user, args={"name": path}, body=body)).project


async def launch(backend: Backend, user: str, project: str = "") -> Any:
    body = SessionRequest(name="exp-1", project=project)
    return await ask(backend, "sessions.create", user, body=body)


async def test_only_an_admin_changes_anything() -> None:
    backend = guarded()
    asks = {
        "projects.put": {"args": {"name": "x"}, "body": ProjectRequest(quota=1)},
        "projects.delete": {"args": {"name": "team-b"}, "query": ProjectRemoval()},
        "projects.preview": {"body": ProjectRequest(name="x", quota=1)},
        "rules.put": {"body": RulesRequest(revision="1")},
        "groups.put": {"body": GroupsRequest(revision="1")},
        "audit.list": {"query": AuditQuery()},
    }
    for name, fields in asks.items():
        with pytest.raises(NotAllowed, match="ben is not an administrator") as caught:
            await ask(backend, name, "ben", **fields)
        assert caught.value.hint
        await ask(backend, name, "ana", **fields)


async def test_projects_are_listed_with_the_departments_of_an_engine() -> None:
    backend = guarded()
    vision = Department(name="vision", projects=("team-b",))

    class Divided:
        def quota(self) -> Quota:
            return structs.replace(backend.usage.quota(), departments=(vision,))

    found = await ask(replace(backend, usage=cast("Usage", Divided())), "projects.list")
    assert {each.name: each.department for each in found.items} == {
        "team-a": "",
        "team-b": "vision",
    }


async def test_a_user_launches_only_where_members_allow_it() -> None:
    backend = guarded()
    await put(backend, "team-a", quota=4, members=("cho",), revision="1")
    assert (await ask(backend, "quota.get", "ben")).mine == ("team-b",)
    assert (await ask(backend, "quota.get", "ben")).default == "team-b"
    assert (await ask(backend, "quota.get", "cho")).mine == ("team-a", "team-b")
    assert [(await ask(backend, "quota.get", u)).admin for u in ("ana", "ben")] == [True, False]
    assert len((await ask(backend, "quota.get", "ben")).projects) == 2
    with pytest.raises(InvalidFields) as caught:
        await launch(backend, "ben", "team-a")
    assert [f.field for f in caught.value.fields] == ["project"]
    assert (await launch(backend, "ben")).spec.project == "team-b"
    assert (await launch(backend, "cho")).spec.project == "team-a"
    ben, cho = [await backend.access.rights(me(user)) for user in ("ben", "cho")]
    assert ben.key != cho.key


async def test_a_change_is_warned_of_and_audited() -> None:
    backend = guarded()
    request = ProjectRequest(quota=99)
    answer = await ask(backend, "projects.put", args={"name": "big"}, body=request)
    assert answer.project.quota == 99_000
    assert "add up to 105" in answer.warnings[0]
    assert (await ask(backend, "projects.list", "ben")).warnings == answer.warnings
    page = await ask(backend, "audit.list", query=AuditQuery())
    assert [(e.who, e.what, e.before) for e in page.items] == [("ana", "created project big", "")]


async def test_of_two_changes_of_one_state_the_second_is_refused() -> None:
    backend = guarded()
    await put(backend, "team-a", quota=1, revision="1")
    with pytest.raises(Outdated):
        await put(backend, "team-a", quota=2, revision="1")
    with pytest.raises(Outdated):
        await put(backend, "team-a", quota=2)
    assert backend.inventory.projects()[0].quota == 1000


async def test_the_path_and_the_body_agree() -> None:
    with pytest.raises(InvalidFields):
        await put(guarded(), "team-a", name="team-b", quota=1, revision="1")


async def test_a_deletion_is_refused_drained_or_done() -> None:
    backend = guarded()
    session = await launch(backend, "ben", "team-b")
    args = {"args": {"name": "team-b"}}
    with pytest.raises(InUse, match="exp-1"):
        await ask(backend, "projects.delete", **args, query=ProjectRemoval())
    left = await ask(backend, "projects.delete", **args, query=ProjectRemoval(drain=True))
    assert (left.project.draining, left.sessions) == (True, ("exp-1",))
    with pytest.raises(InvalidFields):
        await ask(backend, "sessions.create", body=SessionRequest(name="y", project="team-b"))
    await backend.sessions.stop(session.id)
    assert [p.name for p in backend.inventory.projects()] == ["team-a"]


async def test_a_preview_changes_nothing_and_checks_everything() -> None:
    backend = guarded()
    for i in range(5):
        body = SessionRequest(name=f"s{i}", project="team-a", gpu=1)
        await ask(backend, "sessions.create", body=body)
    body = ProjectRequest(name="team-a", quota=5)
    found = await ask(backend, "projects.preview", body=body)
    assert [(s.name, s.effect) for s in found.sessions] == [("s4", "starts")]
    assert {p.name: (p.quota_before, p.quota) for p in found.projects}["team-a"] == (4000, 5000)
    assert backend.inventory.projects()[0].quota == 4000
    with pytest.raises(InvalidFields) as caught:
        await ask(backend, "projects.preview", body=ProjectRequest(name="X", quota="-1"))
    assert {f.field for f in caught.value.fields} == {"name", "quota"}


async def test_a_backend_that_cannot_says_so_and_still_lists() -> None:
    fixed = replace(guarded(), administration=None)
    with pytest.raises(Unsupported, match="fake"):
        await put(fixed, "x", quota=1)
    assert len((await ask(fixed, "projects.list")).items) == 2
    assert (await ask(fixed, "groups.get")).items == ()
    assert not (await ask(fixed, "quota.get")).admin
