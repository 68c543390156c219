"""What holds of every round, whatever is asked of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.core.scheduling.placement import Pool
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot, Plan
from jupyter_gpuquota.model.messages.build import reason
from jupyter_gpuquota.model.quota import Project, Rules
from jupyter_gpuquota.model.resources import MILLI, Node, Placement
from jupyter_gpuquota.model.sessions import Session
from tests.builders import MEMORY, NOW, make_node, make_session
from tests.core.rounds import SECOND, play

PENDING = reason("DataPending", "data.waiting", data="faces@v1")
NAMES = ("team-a", "team-b", "team-c")

projects = st.tuples(
    *(
        st.builds(
            Project,
            name=st.just(name),
            quota=st.sampled_from([0, 300, 1000, 2000, 4000]),
            weight=st.sampled_from([None, 0, 1000, 3000]),
            limit=st.sampled_from([None, None, 500, 3000]),
            priority=st.sampled_from([50, 100]),
        )
        for name in NAMES
    )
)
nodes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(
    lambda counts: [make_node(f"n{i}", gpus) for i, gpus in enumerate(counts)]
)
wishes = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(["interactive", "interactive-spot", "train"]),
    st.sampled_from(
        [
            {"gpu": "0.1"},
            {"gpu": "0.3"},
            {"gpu": "0.5"},
            {"gpu": "1"},
            {"gpu": "2"},
            {"gpu": "3"},
            {"gpu_memory": "8Gi"},
            {"gpu_memory": "8Gi", "gpu_compute": "30"},
        ]
    ),
    st.sampled_from([10, 50, 90]),
)
arrivals = st.lists(st.lists(wishes, max_size=5), min_size=1, max_size=4)
rules = st.builds(Rules, consolidate=st.booleans())


def waves(found: list[list[tuple[str, str, dict[str, str], int]]]) -> list[list[Session]]:
    """Make sessions that come in waves, older ones first."""
    age = sum(map(len, found))
    made: list[list[Session]] = []
    for wave in found:
        made.append([])
        for project, kind, share, priority in wave:
            name = f"s{age:03d}"
            fields = {**share, "project": project, "kind": kind, "priority": priority}
            made[-1].append(make_session(name, age=age, **fields))
            age -= 1
    return made


def used(sessions: dict[str, Session]) -> Counter[str]:
    """Sum what the projects hold."""
    held: Counter[str] = Counter()
    for session in sessions.values():
        if session.placement:
            held[session.spec.project] += session.placement.milli
    return held


@settings(max_examples=settings().max_examples * 4)
@given(arrivals, projects, nodes, rules, st.sampled_from([bool, lambda: True]))
def test_rounds_settle_and_keep_every_promise(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
    admin: Rules,
    spent: Callable[[], bool],
) -> None:
    by_team = {team.name: team for team in teams}
    sessions: dict[str, Session] = {}
    for hour, wave in enumerate(waves(found)):
        before = {session.id: session for session in [*sessions.values(), *wave]}
        now = NOW + timedelta(hours=hour)
        sessions, plans = play(before.values(), teams, machines, admin, now, spent)
        for decided in plans:
            for eviction in decided.evictions:
                assert before[eviction.session].preemptible
                assert eviction.reason.message
        _nothing_holds_too_much(sessions, by_team, machines)
        _who_waits_has_to(sessions, by_team, machines, plans[-1].fair)


@given(arrivals, projects, nodes, rules, st.sampled_from([timedelta(0), -SECOND]))
def test_a_clock_that_stands_still_or_steps_back_changes_nothing(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
    admin: Rules,
    tick: timedelta,
) -> None:
    sessions: dict[str, Session] = {}
    for day, wave in enumerate(waves(found)):
        everyone, now = [*sessions.values(), *wave], NOW + timedelta(days=day)
        sessions, plans = play(everyone, teams, machines, admin, now)
        others, same = play(everyone, teams, machines, admin, now, tick=tick)
        assert [_decided(one) for one in plans] == [_decided(one) for one in same]
        assert {n: s.placement for n, s in others.items()} == {
            n: s.placement for n, s in sessions.items()
        }


def _decided(decided: Plan) -> tuple[object, ...]:
    """Return who starts where and who is preempted by whom."""
    starts = {d.session: d.outcome for d in decided.decisions if isinstance(d.outcome, Placement)}
    return starts, {eviction.session: eviction.reclaim.session for eviction in decided.evictions}


def _nothing_holds_too_much(
    sessions: dict[str, Session], teams: dict[str, Project], machines: list[Node]
) -> None:
    milli: Counter[tuple[str, int]] = Counter()
    memory: Counter[tuple[str, int]] = Counter()
    for session in sessions.values():
        for piece in session.placement.slices if session.placement else ():
            place = (session.placement.node, piece.index) if session.placement else ("", 0)
            milli[place] += piece.milli
            memory[place] += piece.memory
    assert all(value <= MILLI for value in milli.values())
    assert all(value <= MEMORY for value in memory.values())
    for name, held in used(sessions).items():
        assert held <= teams[name].ceiling(1 << 60)
        fixed = {k: s for k, s in sessions.items() if s.spec.project == name and not s.preemptible}
        assert used(fixed)[name] <= teams[name].quota


SMALL = ("team-a", "interactive", {"gpu": "0.1"}, 10)
MAKES_ROOM = [
    [SMALL, SMALL, SMALL, ("team-a", "interactive", {"gpu": "0.3"}, 10)],
    [SMALL, ("team-a", "interactive-spot", {"gpu": "0.5"}, 10)],
    [
        ("team-a", "interactive", {"gpu": "2"}, 10),
        ("team-a", "interactive-spot", {"gpu": "0.1"}, 10),
        ("team-a", "interactive-spot", {"gpu": "0.3"}, 50),
    ],
]
"""The first of the last three leaves room for only one of the other two."""
GIVES_WAY = [
    [SMALL, ("team-a", "interactive", {"gpu": "0.3"}, 10), ("team-a", "train", {"gpu": "1"}, 10)],
    [
        ("team-a", "interactive", {"gpu": "0.5"}, 10),
        ("team-a", "interactive-spot", {"gpu": "0.1"}, 10),
        ("team-a", "interactive", {"gpu": "0.3"}, 10),
        ("team-a", "interactive", {"gpu": "0.3"}, 10),
        ("team-a", "interactive", {"gpu": "0.5"}, 10),
    ],
]
"""The training that gives way for the first of the last two makes room for the other one."""


@settings(max_examples=settings().max_examples * 2)
@given(arrivals, st.sampled_from([1000, 2000, 3000]), nodes)
@example(GIVES_WAY, 2000, [make_node("n0", 3)])
@example(MAKES_ROOM, 3000, [make_node("n0", 1), make_node("n1", 3)])
def test_nobody_is_started_for_nothing_at_a_limit(
    found: list[list[tuple[str, str, dict[str, str], int]]], most: int, machines: list[Node]
) -> None:
    teams = [Project(name=name, quota=most, limit=most) for name in NAMES[:1]]
    sessions: dict[str, Session] = {}
    own = [[(NAMES[0], kind, share, rank) for _, kind, share, rank in wave] for wave in found]
    for hour, wave in enumerate(waves(own)):
        now = NOW + timedelta(hours=hour)
        sessions, plans = play([*sessions.values(), *wave], teams, machines, now=now)
        _nobody_is_started_for_nothing(sessions, plans)


def _nobody_is_started_for_nothing(sessions: dict[str, Session], plans: list[Plan]) -> None:
    """Check that nobody is started and then preempted by a colleague who waited all the time.

    A colleague who was preempted meanwhile may preempt those of lower rank.
    """
    projects = {session.id: session.spec.project for session in sessions.values()}
    started: set[str] = set()
    preempted: set[str] = set()
    for decided in plans:
        for eviction in decided.evictions:
            taker = eviction.reclaim
            if taker.project == projects[eviction.session] and taker.session not in preempted:
                assert eviction.session not in started or taker.moved
            preempted.add(eviction.session)
        started |= {d.session for d in decided.decisions if isinstance(d.outcome, Placement)}


def _who_waits_has_to(
    sessions: dict[str, Session],
    teams: dict[str, Project],
    machines: list[Node],
    fair: dict[str, int],
) -> None:
    held = used(sessions)
    pool = Pool(machines, [s.placement for s in sessions.values() if s.placement])
    for session in (s for s in sessions.values() if s.state == "waiting"):
        assert session.reason is not None
        assert session.reason.message
        if session.reason.code in ("OverQuota", "OverLimit") and not session.reason.raw:
            continue  # a rule forbids it
        placement = pool.find(session.spec.share)
        team = teams[session.spec.project]
        if placement:  # devices are free: only its own project's bounds may keep it from them
            assert held[team.name] + placement.milli > team.ceiling(1 << 60)
        _nobody_could_give(session, sessions, machines, held, fair, teams)


def _nobody_could_give(
    session: Session,
    sessions: dict[str, Session],
    machines: list[Node],
    held: Counter[str],
    fair: dict[str, int],
    teams: dict[str, Project],
) -> None:
    """Check that no single borrower blocks what is within a fair share or a quota."""
    for victim in sessions.values():
        if not victim.placement or not victim.preemptible:
            continue
        if victim.spec.project == session.spec.project:
            continue
        rest = [s.placement for s in sessions.values() if s.placement and s is not victim]
        placement = Pool(machines, rest).find(session.spec.share)
        own, theirs = teams[session.spec.project], teams[victim.spec.project]
        after = held[own.name] + placement.milli if placement else 0
        if placement and held[theirs.name] > fair[theirs.name]:
            assert after > fair[own.name]
        if placement and held[theirs.name] > theirs.quota:
            assert after > own.quota


@given(arrivals, projects, nodes)
def test_the_same_input_gives_the_same_plan(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
) -> None:
    everyone = [session for wave in waves(found) for session in wave]
    first = plan(ClusterSnapshot(everyone, teams, machines, NOW))
    again = plan(ClusterSnapshot(list(reversed(everyone)), teams, machines, NOW))
    assert first == again


@given(arrivals, projects, nodes, st.data())
def test_who_is_held_changes_nothing_for_the_others(
    found: list[list[tuple[str, str, dict[str, str], int]]],
    teams: tuple[Project, ...],
    machines: list[Node],
    data: st.DataObject,
) -> None:
    *before, line = waves(found)
    running, _ = play([session for wave in before for session in wave], teams, machines)
    held = {s.id: why for s in line if (why := data.draw(st.sampled_from([None, PENDING])))}
    everyone = [*running.values(), *line]
    others = [session for session in everyone if session.id not in held]
    with_held = plan(ClusterSnapshot(everyone, teams, machines, NOW, held=held))
    without = plan(ClusterSnapshot(others, teams, machines, NOW))
    assert with_held.evictions == without.evictions
    assert with_held.fair == without.fair
    assert [d for d in with_held.decisions if d.session not in held] == list(without.decisions)
    assert {d.session: d.outcome for d in with_held.decisions if d.session in held} == held


def test_a_plan_decides_on_everyone_who_waits() -> None:
    line = [make_session(f"s{i}", "1", age=i) for i in range(9)]
    decided = plan(ClusterSnapshot(line, [], [make_node()], NOW))
    assert {d.session for d in decided.decisions} == {s.id for s in line}
    assert not any(isinstance(d.outcome, Placement) for d in decided.decisions)
    assert msgspec.json.encode(decided.decisions)
