"""Settings of admins: stored, audited and in force at once."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import InUse, NotFound, Outdated
from jupyter_gpuquota.model.projects import NodeGroup
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

TEAMS = ["team-a", "team-b", "team-c"]


async def test_a_project_is_made_changed_and_deleted(backend: Backend) -> None:
    before = backend.changes.revision("quota")
    made = await backend.administration.put_project(
        Project(name="new", quota=1500, revision=""), "ana"
    )
    assert backend.changes.revision("quota") != before
    changed = await backend.administration.put_project(replace(made, quota=2000), "ben")
    assert [p for p in backend.inventory.projects() if p.name == "new"] == [changed]
    assert changed.revision != made.revision
    assert await backend.administration.delete_project("new", "", "ana", drain=False) is None
    assert [p.name for p in backend.inventory.projects()] == TEAMS
    audit = await backend.administration.audit()
    assert [entry.who for entry in audit] == ["ana", "ben", "ana"]
    assert msgspec.json.decode(audit[1].before, type=Project) == made
    assert msgspec.json.decode(audit[1].after, type=Project) == changed
    with pytest.raises(NotFound):
        await backend.administration.delete_project("new", "", "ana", drain=False)


async def test_of_two_admins_the_second_is_told(backend: Backend) -> None:
    seen = backend.inventory.projects()[0]
    first = await backend.administration.put_project(replace(seen, quota=3000), "ana")
    for late in (
        seen,
        replace(seen, revision=""),
        Project(name="gone", quota=1, revision="9"),
    ):
        with pytest.raises(Outdated):
            await backend.administration.put_project(replace(late, quota=1000), "ben")
    with pytest.raises(Outdated):
        await backend.administration.delete_project(seen.name, seen.revision, "ben", drain=False)
    assert backend.inventory.projects()[0] == first
    rules = backend.inventory.rules()
    await backend.administration.put("rules", replace(rules, grace=7), "ana")
    with pytest.raises(Outdated):
        await backend.administration.put("rules", replace(rules, grace=8), "ben")
    assert backend.inventory.rules().grace == 7
    groups = replace(backend.administration.groups(), items=(NodeGroup(name="big"),))
    await backend.administration.put("groups", groups, "ana")
    with pytest.raises(Outdated):
        await backend.administration.put("groups", groups, "ben")


async def test_groups_label_nodes_that_are_also_told_as_found(backend: Backend) -> None:
    found = backend.administration.found_nodes()
    group = NodeGroup(name="own", nodes=(found[0].name,), separate=True)
    await backend.administration.put(
        "groups", replace(backend.administration.groups(), items=(group,)), "ana"
    )
    assert backend.administration.found_nodes() == found
    first = next(node for node in backend.inventory.nodes() if node.name == found[0].name)
    assert (first.labels, first.separate) == ((*found[0].labels, "own"), True)


async def test_a_raised_quota_lets_start_what_waits(backend: Backend) -> None:
    seen = backend.inventory.projects()[0]
    lowered = await backend.administration.put_project(replace(seen, quota=1000), "ana")
    first = await until(backend, (await launch(backend, "a", gpu="1")).id, "running")
    second = await launch(backend, "b", gpu="1")
    waiting = await until(backend, second.id, lambda s: s.reason is not None)
    assert (waiting.state, waiting.reason.code) == ("waiting", "OverQuota")
    await backend.administration.put_project(replace(lowered, quota=2000), "ana")
    await until(backend, second.id, "running")
    assert next(s for s in backend.sessions.all() if s.id == first.id).state == "running"


async def test_a_project_with_sessions_goes_only_when_they_have(backend: Backend) -> None:
    running = await until(backend, (await launch(backend, "a", gpu="4")).id, "running")
    waits = await launch(backend, "b", gpu="1")
    with pytest.raises(InUse, match="a, b"):
        await backend.administration.delete_project("team-a", "", "ana", drain=False)
    left = await backend.administration.delete_project("team-a", "", "ana", drain=True)
    assert left is not None
    assert left.draining
    await until(backend, waits.id, lambda s: s.reason and s.reason.code == "QueueMissing")
    await backend.sessions.stop(running.id)
    await until(backend, running.id, "stopped")
    latest, gone = "", False
    async with asyncio.timeout(patience()):
        while not gone:
            latest = (await backend.changes.changed(latest, 1.0)).latest
            gone = [p.name for p in backend.inventory.projects()] == TEAMS[1:]
    assert next(s for s in backend.sessions.all() if s.id == waits.id).state == "waiting"
