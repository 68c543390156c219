"""Use cases of admins, over a backend in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from msgspec import structs

from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.errors import (
    InUse,
    InvalidFields,
    NotAllowed,
    NotFound,
    Outdated,
    Unsupported,
)
from jupyter_gpuquota.model.projects import (
    AuditQuery,
    GroupsRequest,
    NodeGroupRequest,
    ProjectRemoval,
    ProjectRequest,
    RulesRequest,
    SettingsChange,
)
from jupyter_gpuquota.model.quota import Department, Quota
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.ports.usage import Usage
from tests import fakes
from tests.builders import make_node
from tests.fakes import make_backend, me, remember

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
        "settings.preview": {"body": SettingsChange(delete=("team-a",))},
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
    change = SettingsChange(put=(ProjectRequest(name="team-a", quota=5),))
    found = await ask(backend, "settings.preview", body=change)
    assert [(s.name, s.effect) for s in found.sessions] == [("s4", "starts")]
    assert backend.inventory.projects()[0].quota == 4000
    twice = SettingsChange(put=(change.put[0], change.put[0]))
    bad = SettingsChange(put=(ProjectRequest(name="X", quota="-1"),))
    for body, fields in ((twice, {"put[1].name"}), (bad, {"put[0].name", "put[0].quota"})):
        with pytest.raises(InvalidFields) as caught:
            await ask(backend, "settings.preview", body=body)
        assert {f.field for f in caught.value.fields} == fields
    with pytest.raises(NotFound):
        await ask(backend, "settings.preview", body=SettingsChange(delete=("nobody",)))


async def test_rules_and_groups_are_tried_with_projects_or_alone() -> None:
    backend = guarded()
    for name in ("first", "second", "third"):
        body = SessionRequest(name=name, project="team-a", gpu=4, kind="train", command=("x",))
        await ask(backend, "sessions.create", body=body)
    change = SettingsChange(
        put=(ProjectRequest(name="team-a", quota=8),),
        rules=RulesRequest(min_runtime="1h"),
        groups=(NodeGroupRequest(name="big", nodes=("dgx1-1",)),),
    )
    found = await ask(backend, "settings.preview", body=change)
    assert "3 sessions would still be protected by their minimum run time" in found.message
    assert (backend.inventory.rules().min_runtime, backend.administration.groups().items) == (0, ())
    wrong = SettingsChange(
        put=(ProjectRequest(name="team-a", quota="x"),),
        rules=RulesRequest(grace="x"),
        groups=(NodeGroupRequest(name="big", nodes=("n9",)),),
    )
    with pytest.raises(InvalidFields) as caught:
        await ask(backend, "settings.preview", body=wrong)
    named = {"put[0].quota", "rules.grace", "groups[0].nodes[0]"}
    assert {f.field for f in caught.value.fields} == named


async def test_a_group_that_is_tried_away_takes_its_label_away() -> None:
    backend = guarded()
    group = NodeGroupRequest(name="big", nodes=("dgx1-2",))
    await ask(backend, "groups.put", body=GroupsRequest(groups=(group,), revision="1"))
    fields = {"gpu": 8, "kind": "train", "command": ("x",), "node_type": "big"}
    full = SessionRequest(name="full", **fields)
    await ask(backend, "sessions.create", body=full)
    body = SessionRequest(name="waits", **fields)
    waits = await ask(backend, "sessions.create", body=body)
    assert waits.state == "waiting"
    both = (NodeGroupRequest(name="big", nodes=("dgx1-1", "dgx1-2")),)
    found = await ask(backend, "settings.preview", body=SettingsChange(groups=both))
    assert [(s.name, s.effect) for s in found.sessions] == [("waits", "starts")]
    found = await ask(backend, "settings.preview", body=SettingsChange(groups=()))
    assert [(s.name, s.effect) for s in found.sessions] == [("waits", "waits")]


async def test_a_preview_tells_of_the_last_week_too() -> None:
    backend = guarded(nodes=(make_node("n1", 4),))
    at = int((datetime.now(UTC) - timedelta(hours=3)).timestamp()) // 3600 * 3600
    held = {"team-a": (4000, 0), "team-b": (0, 1000)}
    past = [
        Bucket(
            at=at + second,
            project=name,
            seconds=30,
            allocated=allocated * 30,
            asked=asked * 30,
            peak=allocated,
        )
        for second in range(0, 3600, 30)
        for name, (allocated, asked) in held.items()
    ]
    remember(backend, past)
    halved = SettingsChange(put=(ProjectRequest(name="team-a", quota=2),))
    found = await ask(backend, "settings.preview", body=halved)
    assert {e.name for e in found.past} <= {"team-a", "team-b"}
    assert next(e for e in found.past if e.name == "team-a").lost == 1000
    assert (
        "Over the last week: team-a could have lost 1 more GPU hours to reclaims." in found.message
    )


async def test_a_backend_that_cannot_says_so_and_still_lists() -> None:
    fixed = replace(guarded(), administration=None)
    with pytest.raises(Unsupported, match="fake"):
        await put(fixed, "x", quota=1)
    assert len((await ask(fixed, "projects.list")).items) == 2
    assert (await ask(fixed, "groups.get")).items == ()
    assert not (await ask(fixed, "quota.get")).admin
