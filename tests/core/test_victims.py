"""Victims are as few as can be: compared with every set there is."""

from __future__ import annotations

from itertools import combinations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.core.scheduling.holders import Holders
from jupyter_gpuquota.core.scheduling.placement import Pool
from jupyter_gpuquota.core.scheduling.rooms import Rooms
from jupyter_gpuquota.core.scheduling.victims import Choice, Rules, Search, Validator
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
]
shares = st.sampled_from(SHARES)
holding = st.lists(st.tuples(shares, st.booleans(), st.sampled_from([10, 90])), max_size=9)


def choose(
    share: Share,
    milli: int,
    pool: Pool,
    sessions: list[Session],
    valid: Validator = lambda *_: True,
) -> Choice | None:
    """Return victims for a share among sessions."""
    rooms = Rooms(share, pool, None, Holders(sessions), lambda _: True)
    return Search(rooms, Rules(milli, valid)).choose()


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
    share: Share, nodes: list[Node], sessions: list[Session], candidates: list[Session]
) -> int | None:
    """Return the size of the smallest sufficient set of victims, by brute force."""
    for count in range(1, len(candidates) + 1):
        for gone in combinations(candidates, count):
            kept = [s.placement for s in sessions if s not in gone and s.placement]
            if Pool(nodes, kept).find(share):
                return count
    return None


@settings(max_examples=settings().max_examples * 2)
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
