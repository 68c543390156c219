"""Reclaimed GPUs: with a grace period, once, even if processes are killed meanwhile."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.model.quota import Rules
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of, home_of, marked, wait_for

pytestmark = pytest.mark.asyncio

STUBBORN = ("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.2; done")
SAVES = (
    "sh",
    "-c",
    "trap 'echo saved >> state; exit 0' TERM; echo ready; while :; do sleep 0.1; done",
)


async def borrow(backend, command, name="train"):
    """Have team-b hold the whole machine."""
    found = []
    for i in range(2):
        made = await launch(
            backend, f"{name}-{i}", gpu="4", project="team-b", kind="train", command=command
        )
        found.append(await until(backend, made.id, "running"))
    for session in found:
        log = folder_of(home_of(backend), session.id).path / "log"
        await wait_for(lambda log=log: "ready" in log.read_text())
    return found


async def test_who_gives_way_may_save_its_work_and_starts_again(make, settings):
    backend = await make(reclaim_grace=60, stop_grace=0.1)
    await borrow(backend, SAVES)
    taker = await until(backend, (await launch(backend, "mine", gpu="1")).id, "running")
    [victim] = [s for s in backend.sessions.all() if s.state == "waiting"]
    assert victim.reclaimed.name == "mine"
    assert (victim.exit, victim.goal) == (None, "run")
    saved = folder_of(settings["home"], victim.id).path.parents[2] / "work" / "state"
    assert saved.read_text() == "saved\n"
    await backend.sessions.stop(taker.id)
    assert (await until(backend, victim.id, "running")).reclaimed.name == "mine"


async def test_who_does_not_end_within_the_grace_is_killed(make):
    backend = await make(reclaim_grace=1, stop_grace=2)
    await borrow(backend, STUBBORN)
    made = await launch(backend, "mine", gpu="1")
    waiting = await until(backend, made.id, lambda s: s.reason is not None)
    assert waiting.reason.code == "BeingReclaimed"
    [victim] = [s for s in backend.sessions.all() if s.goal == "requeue"]
    assert victim.reason.code == "Reclaimed"
    assert "Preempted by a session of team-a" in victim.reason.message
    await until(backend, made.id, "running")
    await until(backend, victim.id, "waiting")
    assert not marked(victim.id)


async def test_the_grace_that_an_admin_has_set_is_the_one_that_counts(make):
    backend = await make(reclaim_grace=600)
    await borrow(backend, STUBBORN)
    rules = Rules(grace=1, revision=backend.inventory.rules().revision)
    await backend.administration.put("rules", rules, "ana")
    made = await launch(backend, "mine", gpu="1")
    await until(backend, made.id, "running")


async def test_a_controller_killed_in_the_grace_goes_on_where_it_was(elsewhere, make):
    first = elsewhere(reclaim_grace=600)
    ids = []
    for i in range(2):
        fields = {"gpu": "4", "project": "team-b", "kind": "train", "command": list(STUBBORN)}
        ids.append(first.ask("launch", f"train-{i}", fields)["id"])
        first.ask("until", ids[-1], "running")
    taker = first.ask("launch", "mine", {"gpu": "1"})["id"]
    sessions = {s["id"]: s for s in first.ask("sessions")}
    [victim] = [key for key in ids if sessions[key]["goal"] == "requeue"]
    first.kill()
    backend = await make(reclaim_grace=1, stop_grace=0.5)
    assert (await until(backend, taker, "running")).placement.milli == 1000
    again = await until(backend, victim, "waiting")
    assert again.reclaimed.session == taker
    others = [s for s in backend.sessions.all() if s.id not in (taker, victim)]
    assert [s.state for s in others] == ["running"]


async def test_a_user_who_stops_a_session_that_gives_way_ends_it(make):
    backend = await make(reclaim_grace=600, stop_grace=0.5)
    await borrow(backend, STUBBORN)
    made = await launch(backend, "mine", gpu="1")
    await until(backend, made.id, lambda s: s.reason is not None)
    [victim] = [s for s in backend.sessions.all() if s.goal == "requeue"]
    await backend.sessions.stop(victim.id)
    stopped = await until(backend, victim.id, "stopped")
    assert stopped.reason.code == "StopRequested"
    await until(backend, made.id, "running")


async def test_an_interactive_session_ends_with_its_projects_bound(make):
    bounded = [{"name": "team-a", "quota": "4", "interactive_duration": "1s"}]
    backend = await make(projects=bounded)
    session = await until(backend, (await launch(backend, gpu="0.5")).id, "stopped")
    assert session.reason.code == "MaxLifetime"
    again = await backend.sessions.resume(session.id)
    assert again.ends is None


@pytest.mark.parametrize("end", ["stop", "suspend"])
async def test_a_limit_holds_for_who_starts_and_stops_again_and_again(make, end):
    limited = [{"name": "team-a", "quota": "1", "limit": "1"}, {"name": "team-b", "quota": "7"}]
    backend = await make(projects=limited, stop_grace=0.5)
    held: list[int] = []

    def runs(session):
        held.append(sum(s.placement.milli for s in backend.sessions.all() if s.placement))
        return session.state == "running"

    for number in range(4):
        made = await launch(backend, f"exp-{number}", gpu="1", kind="train", command=STUBBORN)
        assert number == 0 or made.reason.code == "OverLimit"
        await until(backend, made.id, runs)
        log = folder_of(home_of(backend), made.id).path / "log"
        await wait_for(lambda log=log: "ready" in log.read_text())
        await (backend.sessions.stop if end == "stop" else backend.sessions.suspend)(made.id)
    assert max(held) == 1000
