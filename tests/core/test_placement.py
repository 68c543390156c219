"""Which devices a share gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from jupyter_gpuquota.core.scheduling.placement import Pool, place
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Node, Placement
from tests.builders import (
    MEMORY,
    make_device,
    make_mig_device,
    make_node,
    make_placement,
    make_share,
    make_slice,
)


def put(gpu: str, nodes: list[Node], *held: Placement, **fields: object) -> Placement | Reason:
    return place(make_share(gpu, **fields), Pool(nodes, held))


def spot(outcome: Placement | Reason) -> tuple[str, list[int]]:
    assert isinstance(outcome, Placement), outcome
    return outcome.node, [piece.index for piece in outcome.slices]


def test_a_fraction_joins_the_fullest_device_that_still_has_room() -> None:
    held = [make_placement(make_slice(1, 300)), make_placement(make_slice(4, 500))]
    assert spot(put("0.5", [make_node()], *held)) == ("n1", [4])
    assert spot(put("0.6", [make_node()], *held)) == ("n1", [1])
    assert spot(put("0.8", [make_node()], *held)) == ("n1", [0])


def test_a_fraction_breaks_a_device_of_the_node_with_fewest_whole_ones() -> None:
    nodes = [make_node("n1", 4), make_node("n2", 4)]
    held = make_placement(make_slice(0), make_slice(1), node="n2")
    assert spot(put("0.5", nodes, held)) == ("n2", [2])


def test_whole_devices_come_from_one_node_the_tightest() -> None:
    nodes = [make_node("n1", 4), make_node("n2", 2)]
    assert spot(put("2", nodes)) == ("n2", [0, 1])
    assert spot(put("3", nodes)) == ("n1", [0, 1, 2])


@pytest.mark.parametrize(
    ("gpu", "held", "where"),
    [
        ("1.5", [], [0, 1]),
        ("1.5", [(0, 250)], [0, 1]),  # beside the part that is held
        ("1.5", [(2, 100), (5, 250)], [5, 2]),  # the fullest that have room
        ("1.5", [(0, 300)], [1, 2]),
        ("2.5", [(7, 100)], [7, 0, 1]),
        ("1.98", [(3, 10), (4, 10)], [3, 4]),
    ],
)
def test_parts_of_several_gpus_are_packed_as_fractions_are(
    gpu: str, held: list[tuple[int, int]], where: list[int]
) -> None:
    outcome = put(gpu, [make_node()], *(make_placement(make_slice(*each)) for each in held))
    assert spot(outcome) == ("n1", where)
    assert isinstance(outcome, Placement)
    assert len({piece.milli for piece in outcome.slices}) == 1


def test_parts_of_several_gpus_are_of_one_node() -> None:
    nodes = [make_node("n1", 1), make_node("n2", 2)]
    assert spot(put("1.5", nodes)) == ("n2", [0, 1])
    shared = make_placement(make_slice(0, 200))
    assert spot(put("1.5", nodes, shared)) == ("n2", [0, 1])
    outcome = put("1.5", nodes, shared, make_placement(make_slice(1, 300), node="n2"))
    assert isinstance(outcome, Reason)
    assert (outcome.code, outcome.message) == (
        "Fragmented",
        "2.5 GPUs free in total, but no node has 0.75 of each of 2 GPUs free.",
    )
    assert outcome.hint.startswith("Request 1 GPU, which would start now")


def test_three_tenths_fit_with_no_rounding_error() -> None:
    node = make_node(gpus=1)
    held = [make_placement(make_slice(0, 100)), make_placement(make_slice(0, 200))]
    assert spot(put("0.7", [node], *held)) == ("n1", [0])
    assert isinstance(put("0.71", [node], *held), Reason)


def test_memory_holds_its_part_and_costs_it() -> None:
    outcome = put("", [make_node(gpus=1)], gpu_memory="8Gi")
    assert isinstance(outcome, Placement)
    assert (outcome.slices[0].memory, outcome.milli) == (8192, 250)


def test_three_shares_of_30_percent_compute_fill_a_card() -> None:
    node = make_node(gpus=1)
    held = [make_placement(make_slice(0, 300, memory=2048, compute=30)) for _ in range(3)]
    outcome = put("", [node], *held, gpu_memory="2Gi", gpu_compute="30")
    assert isinstance(outcome, Reason)
    assert outcome.code == "NoNodeFits"


def test_memory_that_is_taken_cannot_be_had_though_milli_are_free() -> None:
    held = make_placement(make_slice(0, 100, memory=MEMORY - 1000))
    assert isinstance(put("0.5", [make_node(gpus=1)], held), Reason)


def test_free_in_sum_but_on_no_device_is_fragmented() -> None:
    held = [make_placement(make_slice(i, 600)) for i in range(2)]
    outcome = put("0.6", [make_node(gpus=2)], *held)
    assert isinstance(outcome, Reason)
    assert outcome.code == "Fragmented"
    outcome = put("2", [make_node(gpus=3)], *held, make_placement(make_slice(2, 100)))
    assert isinstance(outcome, Reason)
    assert outcome.code == "NoNodeFits"


def test_a_lost_device_is_never_used() -> None:
    node = Node(name="n1", devices=(make_device(0, lost=True), make_device(1)))
    assert spot(put("0.5", [node])) == ("n1", [1])
    assert isinstance(put("2", [node]), Reason)


def test_a_mig_profile_takes_a_free_instance_of_it() -> None:
    node = Node(name="n1", devices=(make_mig_device(),))
    outcome = put("", [node], mig_profile="1g.5gb")
    assert isinstance(outcome, Placement)
    assert outcome.slices[0].uuid == "MIG-0-0"
    assert outcome.milli == 143
    assert isinstance(put("", [node], outcome, mig_profile="1g.5gb"), Reason)


def test_a_device_in_mig_mode_takes_neither_fractions_nor_whole_shares() -> None:
    node = Node(name="n1", devices=(make_mig_device(),))
    assert isinstance(put("0.5", [node]), Reason)
    assert isinstance(put("1", [node]), Reason)


def test_no_gpu_needs_no_device() -> None:
    assert put("", []) == Placement(node="localhost")


SHARES = st.sampled_from(["0.1", "0.2", "0.25", "0.3", "0.5", "0.7", "1", "1.4", "2", "2.1", "3"])


@given(st.lists(SHARES, max_size=40), st.integers(1, 3), st.integers(1, 4))
def test_no_device_is_ever_overfull(asked: list[str], nodes: int, gpus: int) -> None:
    machine = [make_node(f"n{i}", gpus) for i in range(nodes)]
    held: list[Placement] = []
    for gpu in asked:
        outcome = put(gpu, machine, *held)
        if isinstance(outcome, Placement):
            held.append(outcome)
        else:
            assert outcome.message
    used: dict[tuple[str, int], tuple[int, int]] = {}
    for placement in held:
        for piece in placement.slices:
            milli, memory = used.get((placement.node, piece.index), (0, 0))
            total = (milli + piece.milli, memory + piece.memory)
            used[placement.node, piece.index] = total
    assert all(milli <= 1000 and memory <= MEMORY for milli, memory in used.values())


@pytest.mark.parametrize("gpu", ["0.5", "1"])
def test_the_same_input_gives_the_same_place(gpu: str) -> None:
    nodes = [make_node("b", 2), make_node("a", 2)]
    assert put(gpu, nodes) == put(gpu, nodes)


@given(
    st.lists(st.integers(0, 4), unique=True),
    st.sets(st.integers(0, 4)),
    st.integers(1, 3),
)
def test_a_gpu_is_known_by_its_uuid_whatever_its_number(
    listed: list[int], held: set[int], wanted: int
) -> None:
    """A GPU that falls off the bus, or is passed to a guest, leaves its number to another one."""
    devices = [make_device(number, uuid=f"GPU-{name}") for number, name in enumerate(listed)]
    holders = [make_placement(make_slice(name, uuid=f"GPU-{name}")) for name in held]
    outcome = put(str(wanted), [Node(name="n1", devices=tuple(devices))], *holders)
    free = {f"GPU-{name}" for name in listed if name not in held}
    if isinstance(outcome, Placement):
        assert {piece.uuid for piece in outcome.slices} <= free
    else:
        assert len(free) < wanted


def test_an_instance_of_a_gpu_that_was_partitioned_anew_is_held_by_nobody() -> None:
    before, after = make_mig_device(0, ("1g.5gb", "1g.5gb")), make_mig_device(0, ("3g.20gb",))
    after = replace(after, mig=(replace(after.mig[0], uuid="MIG-new"),))
    gone = make_slice(0, uuid=before.mig[0].uuid, mig="1g.5gb")
    node = Node(name="n1", devices=(after,))
    found = place(make_share(mig_profile="3g.20gb"), Pool([node], [make_placement(gone)]))
    assert isinstance(found, Placement)
    assert [piece.uuid for piece in found.slices] == ["MIG-new"]


def test_a_device_with_just_enough_free_is_counted() -> None:
    pool = Pool([make_node("n1", 3)])
    for gpu in ("0.5", "1"):
        placement = pool.find(make_share(gpu))
        assert placement
        pool.allocate(placement)
    node = pool.nodes["n1"]
    assert [node.count_free(milli) for milli in (499, 500, 501, 1000)] == [2, 2, 1, 1]
