"""A plan holds until something changes that a cycle reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.control.scheduler import Planner
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.model.messages.build import reason
from jupyter_gpuquota.model.quota import Rules
from jupyter_gpuquota.model.resources import Holding
from jupyter_gpuquota.model.sessions import Reclaim
from tests.builders import NOW, make_node, make_placement, make_project, make_session, make_slice

RUNS = make_session("runs", "1", "running", kind="train", placement=make_placement(make_slice()))
WAITS = make_session("waits", "2")
SNAPSHOT = ClusterSnapshot([RUNS, WAITS], [make_project("team-a", "2")], [make_node("n1", 2)], NOW)
LATER = NOW + timedelta(minutes=1)
RECLAIM = Reclaim(at=NOW, session="id-x", name="x", project="team-b", run=0, moved=False)

Change = Callable[[ClusterSnapshot], ClusterSnapshot]


def session_with(**fields: Any) -> Change:
    """Return a change of the running session."""
    changed = msgspec.structs.replace(RUNS, **fields)
    return lambda before: replace(before, sessions=[changed, *before.sessions[1:]])


def snapshot_with(**fields: Any) -> Change:
    return lambda before: replace(before, **fields)


@pytest.mark.parametrize(
    "change",
    [
        session_with(queue_position=7),
        session_with(reason=reason("DataPending", "data.waiting", data="faces@v1")),
        snapshot_with(now=LATER),
        snapshot_with(sessions=(RUNS, WAITS)),
    ],
)
def test_the_plan_holds_while_only_measurements_change(change: Change) -> None:
    planner = Planner(lambda: bool)
    first = planner.plan(SNAPSHOT)
    assert planner.plan(change(SNAPSHOT)) is first


@pytest.mark.parametrize(
    "change",
    [
        session_with(id="other"),
        session_with(spec=msgspec.structs.replace(RUNS.spec, priority=90)),
        session_with(state="stopping"),
        session_with(goal="stop"),
        session_with(run=RUNS.run + 1),
        session_with(since=LATER),
        session_with(started=LATER),
        session_with(created=LATER),
        session_with(ends=LATER),
        session_with(placement=make_placement(make_slice(1))),
        session_with(reclaimed=RECLAIM),
        snapshot_with(sessions=[RUNS]),
        snapshot_with(projects=[make_project("team-a", "1")]),
        snapshot_with(nodes=[make_node("n1", 3)]),
        snapshot_with(rules=Rules(consolidate=True)),
        snapshot_with(holdings=[Holding(name="pod", placement=make_placement(make_slice(1)))]),
        snapshot_with(held={WAITS.id: reason("DataPending", "data.waiting", data="faces@v1")}),
    ],
)
def test_a_change_that_a_cycle_reads_makes_a_new_plan(change: Change) -> None:
    planner = Planner(lambda: bool)
    first = planner.plan(SNAPSHOT)
    assert planner.plan(change(SNAPSHOT)) is not first


def test_a_plan_holds_until_another_cycle_could_decide_more() -> None:
    projects = [make_project("team-a", "0"), make_project("team-b", "2")]
    borrower = msgspec.structs.replace(RUNS, started=NOW)
    owner = make_session("owner", "2", project="team-b")
    rules = Rules(min_runtime=60)
    snapshot = ClusterSnapshot([borrower, owner], projects, SNAPSHOT.nodes, NOW, rules)
    planner = Planner(lambda: bool)
    first = planner.plan(snapshot)
    assert first.again == LATER
    assert planner.plan(replace(snapshot, now=LATER - timedelta(seconds=1))) is first
    second = planner.plan(replace(snapshot, now=LATER))
    assert [eviction.session for eviction in second.evictions] == [borrower.id]


def test_a_cycle_that_is_cut_decides_something_and_is_followed_by_another() -> None:
    projects = [make_project("team-a", "0"), make_project("team-b", "2")]
    borrowers = [
        make_session(f"b{n}", "1", "running", kind="train", placement=make_placement(make_slice(n)))
        for n in range(2)
    ]
    owners = [make_session(f"o{n}", "1", project="team-b") for n in range(2)]
    snapshot = ClusterSnapshot([*borrowers, *owners], projects, SNAPSHOT.nodes, NOW)
    planner = Planner(lambda: lambda: True)
    first = planner.plan(snapshot)
    assert len(first.evictions) == 1
    assert first.again == NOW
    assert planner.plan(snapshot) is not first
