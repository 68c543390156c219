"""Victims are as few as can be: compared with every set there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.core.scheduling.holders import Holders, Victims, held_by
from jupyter_gpuquota.core.scheduling.placement import Pool
from jupyter_gpuquota.core.scheduling.preemption import Choice, Rules, Search, Validator
from jupyter_gpuquota.core.scheduling.rooms import EXACT, Rooms, cover, is_minimal, minimal_covers
from jupyter_gpuquota.model.resources import Node, Placement, Share
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_node, make_session, make_share

SHARES = [
    {"gpu": "0.1"},
    {"gpu": "0.3"},
    {"gpu": "0.5"},
    {"gpu": "1"},
    {"gpu": "2"},
    {"gpu_memory": "8Gi"},
    {"gpu_memory": "8Gi", "gpu_compute": "40"},
    {"gpu": "0.2", "gpu_compute": "60"},
    {"gpu": "1.4"},
]
shares = st.sampled_from(SHARES)
holding = st.lists(st.tuples(shares, st.booleans(), st.sampled_from([10, 90])), max_size=9)


def choose(
    share: Share,
    milli: int,
    pool: Pool,
    sessions: list[Session],
    valid: Validator = lambda *_: True,
    lack: int = 0,
) -> Choice | None:
    """Return victims for a share among sessions."""
    rooms = Rooms(share, pool, None, Holders(sessions), lambda _: True, lack=lack)
    return Search(rooms, Rules(milli, valid)).choose()


def noting(tried: list[Victims], *, valid: bool = True) -> Validator:
    """Return a validator that notes the sets that are tried."""

    def judge(victims: Victims, _: int) -> bool:
        tried.append(victims)
        return valid

    return judge


def placed(wishes: list[tuple[dict[str, str], bool, int]], nodes: list[Node]) -> list[Session]:
    """Place sessions where there is room; some of them leave again, so that there are holes."""
    pool = Pool(nodes)
    found = []
    for number, (share, stays, priority) in enumerate(wishes):
        session = make_session(f"s{number}", kind="train", age=number, priority=priority, **share)
        if placement := pool.find(session.spec.share):
            pool.allocate(placement)
            held = msgspec.structs.replace(session, state="running", placement=placement)
            found += [held] if stays or number % 3 else []
    return found


def fewest(
    share: Share,
    nodes: list[Node],
    sessions: list[Session],
    candidates: list[Session],
    lack: int = 0,
) -> int | None:
    """Return the size of the smallest sufficient set of victims, by brute force."""
    for count in range(1, len(candidates) + 1):
        for gone in combinations(candidates, count):
            if sum(map(held_by, gone)) < lack:
                continue
            kept = [s.placement for s in sessions if s not in gone and s.placement]
            if Pool(nodes, kept).find(share):
                return count
    return None


@given(holding, st.sampled_from([*SHARES[:5], *SHARES[6:]]), st.booleans(), st.integers(0, 2))
def test_no_smaller_set_would_do(
    wishes: list[tuple[dict[str, str], bool, int]],
    wanted: dict[str, str],
    separate: bool,  # noqa: FBT001 (an argument that hypothesis fills in)
    spared: int,
) -> None:
    nodes = [msgspec.structs.replace(make_node(n, 2), separate=separate) for n in ("n1", "n2")]
    sessions = placed(wishes, nodes)
    share = make_share(**wanted)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    if pool.find(share):
        return
    candidates = sessions[spared:]
    choice = choose(share, 0, pool, candidates)
    least = fewest(share, nodes, sessions, candidates)
    assert (len(choice[0]) if choice else None) == least
    if choice:
        victims, placement = choice
        kept: list[Placement] = [s.placement for s in sessions if s not in victims and s.placement]
        assert Pool(nodes, kept).nodes[placement.node].fit(share) == placement


@given(holding, st.sampled_from([*SHARES[:5], *SHARES[6:]]), st.integers(1, 3000))
def test_no_smaller_set_would_do_that_holds_so_much(
    wishes: list[tuple[dict[str, str], bool, int]], wanted: dict[str, str], lack: int
) -> None:
    nodes = [make_node(n, 2) for n in ("n1", "n2")]
    sessions = placed(wishes, nodes)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    choice = choose(make_share(**wanted), 9000, pool, sessions, lack=lack)
    least = fewest(make_share(**wanted), nodes, sessions, sessions, lack)
    assert (choice is None) == (least is None)
    if choice and least:
        assert sum(map(held_by, choice[0])) >= lack
        assert len(choice[0]) == least or pool.find(make_share(**wanted)) is None


EIGHT = st.lists(
    st.sampled_from([{"gpu": "0.125"}, {"gpu": "0.25"}, {"gpu": "0.2", "gpu_compute": "20"}]),
    min_size=40,
    max_size=64,
)


@settings(max_examples=settings().max_examples // 4)
@given(EIGHT, st.sampled_from([*SHARES[2:5], *SHARES[6:8]]))
def test_no_smaller_set_would_do_on_a_large_node_that_separates(
    wishes: list[dict[str, str]], wanted: dict[str, str]
) -> None:
    nodes = [msgspec.structs.replace(make_node("n1", 8), separate=True)]
    sessions = placed([(wish, True, 10) for wish in wishes], nodes)
    share = make_share(**wanted)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    if pool.find(share):
        return
    tried: list[Victims] = []
    choice = choose(share, 9000, pool, sessions, noting(tried))
    assert choice
    assert len(choice[0]) == fewest_by_device(share, nodes[0], sessions)
    assert len(tried) <= len(sessions) + 1  # each of them alone, then a set that suffices


def fewest_by_device(share: Share, node: Node, sessions: list[Session]) -> int:
    """Return the size of the smallest sufficient set of victims, from those on a few devices."""
    apart = [
        session
        for session in sessions
        if node.separate
        and not share.devices
        and bool(session.spec.share.compute) != bool(share.compute)
    ]
    others = [session for session in sessions if session not in apart]
    count = max(1, share.devices)
    found = [len(sessions)]
    for devices in combinations(range(len(node.devices)), count):
        there = [s for s in others if s.placement and s.placement.slices[0].index in devices]
        if share.devices:
            found.append(len(there) if fits_without(share, node, sessions, there) else found[0])
        else:
            found += [
                len(apart) + size
                for size in range(len(there) + 1)
                for some in combinations(there, size)
                if len(apart) + size < min(found)
                and fits_without(share, node, sessions, [*apart, *some])
            ]
    return min(found)


def fits_without(
    share: Share, node: Node, sessions: list[Session], gone: Sequence[Session]
) -> bool:
    ids = {session.id for session in gone}
    kept = [s.placement for s in sessions if s.id not in ids and s.placement]
    return Pool([node], kept).find(share) is not None


def test_many_small_sessions_on_one_device_are_counted_out_at_once() -> None:
    nodes = [make_node("n1", 1)]
    sessions = placed([({"gpu": "0.01"}, True, 10)] * 100, nodes)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    choice = choose(make_share("0.5"), 0, pool, sessions)
    assert choice
    assert len(choice[0]) == 50
    tried: list[Victims] = []
    refused = choose(make_share("0.5"), 0, pool, sessions, noting(tried, valid=False))
    assert refused is None
    assert len(tried) <= EXACT + 1


@pytest.mark.parametrize("nodes", [1, 4, 16])
def test_sessions_that_hold_so_much_are_found_on_any_node(nodes: int) -> None:
    machines = [make_node(f"n{n:02d}", 8) for n in range(nodes)]
    sessions = placed([({"gpu": "0.125"}, True, 10)] * 32 * nodes, machines)
    pool = Pool(machines, [s.placement for s in sessions if s.placement])
    tried: list[Victims] = []
    share = make_share("2")
    choice = choose(share, 2000, pool, sessions, noting(tried), lack=2000)
    assert choice
    assert len(choice[0]) == 16
    assert len(tried) == 1


amounts = st.lists(st.integers(0, 9), max_size=9)


@given(amounts, st.integers(0, 60))
def test_what_covers_a_lack_is_as_little_as_can_be(gains: list[int], lack: int) -> None:
    found = cover((lack,), [(gain,) for gain in gains])
    sets = [
        [*places]
        for size in range(len(gains) + 1)
        for places in combinations(range(len(gains)), size)
        if sum(gains[place] for place in places) >= lack
    ]
    assert (found is None) == (not sets)
    if found is not None:
        smallest = [each for each in sets if len(each) == len(sets[0])]
        assert found in smallest
        assert max(found, default=0) == min(max(each, default=0) for each in smallest)


@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 3), max_size=9), st.tuples(*[st.integers(0, 9)] * 3)
)
def test_all_minimal_covers_are_found_where_there_are_few(
    gains: list[tuple[int, ...]], lacks: tuple[int, ...]
) -> None:
    expected = [
        places
        for size in range(len(gains) + 1)
        for places in combinations(range(len(gains)), size)
        if is_minimal(lacks, [gains[place] for place in places])
    ]
    assert [*minimal_covers(lacks, gains, 1000)] == expected
    few = [*minimal_covers(lacks, gains, 1)]
    assert bool(few) == bool(expected)
    assert set(few) <= {*expected}


def test_of_single_victims_the_one_that_loses_least_goes() -> None:
    nodes = [make_node("n1", 4)]
    wishes = [({"gpu": "1"}, True, priority) for priority in (90, 10, 10, 50)]
    sessions = placed(wishes, nodes)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    choice = choose(make_share("0.5"), 0, pool, sessions)
    assert choice
    assert [victim.spec.name for victim in choice[0]] == ["s1"]  # the younger of the two at 10


def test_nobody_goes_where_there_is_room_already() -> None:
    sessions = placed([({"gpu": "0.5"}, True, 10)] * 2, [make_node("n1", 4)])
    pool = Pool([make_node("n1", 4)], [s.placement for s in sessions if s.placement])
    assert choose(make_share("2"), 2000, pool, sessions) is None


def test_what_a_placement_really_costs_is_judged() -> None:
    nodes = [make_node("n1", 1, memory=16_384), make_node("n2", 1, memory=32_768)]
    sessions = placed([({"gpu": "1"}, True, 10)] * 2, nodes)
    pool = Pool(nodes, [s.placement for s in sessions if s.placement])
    share = make_share(gpu_memory="16384")
    choice = choose(share, 500, pool, sessions, lambda _, cost: cost <= 500)
    assert choice
    assert choice[1].node == "n2"


def test_what_left_a_node_is_in_no_set_once_the_node_is_forgotten() -> None:
    sessions = placed([({"gpu": "1"}, True, 10)] * 2, nodes := [make_node("n1", 2)])
    pool, holders = Pool(nodes, [s.placement for s in sessions if s.placement]), Holders(sessions)
    rooms = Rooms(make_share("1"), pool, None, holders, lambda _: True)
    assert [len(each) for each in rooms.sets("n1")] == [1, 1]
    holders.remove(sessions[:1])
    rooms.forget(["n1"])
    assert [*rooms.sets("n1")] == [(sessions[1],)]
