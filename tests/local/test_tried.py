"""A change does what its preview says, with real processes on simulated GPUs."""

from __future__ import annotations

import getpass

import pytest

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.core.projects import groups_of
from jupyter_gpuquota.model.messages.formats import place, place_arg
from jupyter_gpuquota.model.projects import (
    ChangePreview,
    Groups,
    NodeGroup,
    NodeGroupRequest,
    RulesRequest,
    SettingsChange,
)
from jupyter_gpuquota.model.quota import Rules
from tests.contract.backend_contract import launch, until
from tests.fakes import ask

pytestmark = pytest.mark.asyncio


async def try_out(backend, **change) -> ChangePreview:
    admin = Caller(getpass.getuser(), known="socket")
    return await ask(backend, "settings.preview", admin, body=SettingsChange(**change))


def effects(found: ChangePreview) -> set[tuple[str, str]]:
    return {(session.name, session.effect) for session in found.sessions}


async def train(backend, name: str, state: str, **fields):
    made = await launch(backend, name, project="team-b", kind="train", **fields)
    return await until(backend, made.id, state)


async def test_groups_that_are_tried_bind_as_they_do_once_set(make):
    backend = await make()
    await backend.administration.put_groups(
        Groups(items=(NodeGroup(name="big", nodes=("dgx1-2",)),), revision="1"), "ana"
    )
    runs = await train(backend, "runs", "running", gpu="4", node_type="big")
    waits = await train(backend, "waits", "waiting", gpu="4", node_type="big")
    gone = await try_out(backend, groups=())
    assert "waits (team-b) could never start" in gone.sessions[0].message
    wider = NodeGroupRequest(name="big", nodes=("dgx1-1", "dgx1-2"), separate=True)
    found = await try_out(backend, groups=(wider,))
    assert found.message.startswith("1 session would start.")
    assert found.sessions[0].message.startswith("waits (team-b) would start on dgx1-1, GPU")
    assert [node.labels for node in backend.inventory.nodes()] == [(), ("big",)]
    revision = backend.administration.groups().revision
    groups = Groups(items=groups_of((wider,)), revision=revision)
    await backend.administration.put_groups(groups, "ana")
    started = await until(backend, waits.id, "running")
    assert f"would start on {place(place_arg(started.placement))}." in found.sessions[0].message
    assert next(s for s in backend.sessions.all() if s.id == runs.id).started == runs.started


async def test_rules_that_are_tried_move_sessions_as_they_do_once_set(make):
    backend = await make()
    made = [await train(backend, f"two-{i}", "running", gpu="2") for i in range(3)]
    assert {s.placement.node for s in made[:2]} == {"dgx1-1"}
    await backend.sessions.stop(made[0].id)
    await until(backend, made[0].id, "stopped")
    four = await train(backend, "four", "waiting", gpu="4")
    found = await try_out(backend, rules=RulesRequest(consolidate=True))
    assert {effect for _, effect in effects(found)} == {"starts", "moves"}
    assert "2 sessions could be moved to make room" in found.message
    assert next(s for s in backend.sessions.all() if s.id == four.id).state == "waiting"
    rules = Rules(consolidate=True, revision=backend.inventory.rules().revision)
    await backend.administration.put_rules(rules, "ana")
    started = await until(backend, four.id, "running")
    [moved] = [s.session for s in found.sessions if s.effect == "moves"]
    again = await until(backend, moved, "running")
    told = {s.session: s.message for s in found.sessions}
    assert told[four.id].endswith(f"would start on {place(place_arg(started.placement))}.")
    assert told[moved].endswith(f"would be restarted on {place(place_arg(again.placement))}.")
