"""Previews, quota sums, nodes and isolation, as screens show them."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.core.forecast.previews import forbidden, preview
from jupyter_gpuquota.core.forecast.waiting import starts
from jupyter_gpuquota.core.names import mention
from jupyter_gpuquota.core.requests.alternatives import allowed, smaller
from jupyter_gpuquota.core.requests.specs import Facts, check
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.core.usage.isolation import isolation_of
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.messages.formats import sessions
from jupyter_gpuquota.model.nodes import Reading
from jupyter_gpuquota.model.resources import Device, Node, Share, Slice
from jupyter_gpuquota.model.sessions import SessionRequest
from tests.builders import (
    NOW,
    make_mig_device,
    make_node,
    make_place,
    make_placement,
    make_project,
    make_session,
    make_share,
    make_slice,
    make_spec,
)

NODES = [make_node("n1", 2)]
PROJECTS = [make_project("team-a", "1"), make_project("team-b", "1")]
HALF = make_session("half", "0.5", "running", placement=make_placement(make_slice(0, 500)))


def test_a_preview_says_where_it_fits_and_how_full_that_gets() -> None:
    shown = preview(make_spec(gpu="0.5"), ClusterSnapshot([HALF], PROJECTS, NODES, NOW))
    assert shown.verdict == "fits"
    assert (
        "Starts now on n1, GPU 0 (simulated): 0.5 → 1 GPU allocated. Uses 0.5 GPU" in shown.message
    )
    assert shown.isolation is not None


def test_a_preview_counts_in_thousandths() -> None:
    nodes, projects = [make_node("n1", 1)], [make_project("team-a", "1")]
    shown = preview(make_spec(gpu="0.125"), ClusterSnapshot([], projects, nodes, NOW))
    assert "0 → 0.125 GPU allocated. Uses 0.125 GPU" in shown.message


def test_a_preview_says_why_it_would_wait_and_where_in_line() -> None:
    line = [HALF, make_session("big", "1")]
    shown = preview(make_spec(gpu="1"), ClusterSnapshot(line, PROJECTS, NODES, NOW))
    assert shown.verdict == "waits"
    assert "Will be queued (#2 in team-a): team-a's interactive sessions" in shown.message
    assert shown.queue_position == 2
    assert shown.nearest == make_share("0.5")


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ({"gpu": "2"}, make_share("1")),
        ({"gpu": "999999", "kind": "train", "command": ("train",)}, make_share("2")),
        ({"gpu_memory": "64Gi"}, Share(memory=32768)),
        ({"gpu_memory": "48Gi"}, Share(memory=32768)),
        ({"gpu": "2", "name": "?"}, None),
        ({"gpu": "2", "project": "none"}, None),
        ({"gpu": "-1"}, None),
    ],
)
def test_what_is_forbidden_comes_with_the_nearest_that_is_not(asked, instead) -> None:
    request = SessionRequest(**{"name": "exp-1", "project": "team-a", **asked})
    facts = Facts(projects=PROJECTS, nodes=NODES, place=make_place())
    with pytest.raises(InvalidFields) as caught:
        check(request, facts)
    shown = forbidden(caught.value, allowed(request, facts, caught.value))
    assert (shown.verdict, shown.nearest) == ("forbidden", instead)
    assert ("would be allowed" in shown.message) == (instead is not None)


def test_a_preview_says_how_much_of_what_would_wait_is_borrowed() -> None:
    both = make_placement(make_slice(0), make_slice(1))
    loan = make_session("loan", "2", "running", placement=both, kind="train")
    shown = preview(make_spec(gpu="2", kind="train"), ClusterSnapshot([loan], PROJECTS, NODES, NOW))
    assert shown.verdict == "waits"
    assert "uses 2 GPUs (quota: 1), so 2 GPUs would have to be borrowed" in shown.message
    other = msgspec.structs.replace(loan, spec=msgspec.structs.replace(loan.spec, project="team-b"))
    shown = preview(
        make_spec(gpu="2", kind="train"), ClusterSnapshot([other], PROJECTS, NODES, NOW)
    )
    assert "uses 0 GPUs (quota: 1), so 1 of 2 GPUs would have to be borrowed" in shown.message


def test_a_preview_says_what_is_borrowed_and_from_whom() -> None:
    shown = preview(make_spec(gpu="1", kind="train"), ClusterSnapshot([HALF], PROJECTS, NODES, NOW))
    assert shown.verdict == "borrows"
    assert (
        "Borrows 0.5 GPU, which team-b can reclaim; the session would then be requeued."
        in shown.message
    )


def test_a_preview_on_an_undivided_machine_speaks_of_gpus_only() -> None:
    alone = [make_project("root", quota="2")]
    mine = make_session(
        "b", "1", "running", project="root", placement=make_placement(make_slice(0))
    )
    fits = preview(make_spec(gpu="1", project="root"), ClusterSnapshot([mine], alone, NODES, NOW))
    waits = preview(make_spec(gpu="2", project="root"), ClusterSnapshot([mine], alone, NODES, NOW))
    assert fits.message.endswith("Uses 1 GPU.")
    assert waits.message.startswith("Will be queued (#1):")
    assert "quota" not in fits.message
    assert "root" not in fits.message


def test_a_preview_says_when_enough_will_be_free() -> None:
    bounded = msgspec.structs.replace(
        make_session("b", "1", "running", placement=make_placement(make_slice(0))),
        ends=NOW + timedelta(minutes=20),
    )
    shown = preview(make_spec(gpu="1"), ClusterSnapshot([bounded], PROJECTS, NODES, NOW))
    assert shown.verdict == "waits"
    assert shown.expected == bounded.ends
    clock = f"{bounded.ends:%H:%M} UTC"
    assert shown.message.endswith(f"1 GPU should be free at about {clock}, in 20 min.")


def test_a_queued_session_says_when_it_should_start() -> None:
    runs = make_session("b", "1", "running", placement=make_placement(make_slice(0)))
    bounded = msgspec.structs.replace(runs, ends=NOW + timedelta(minutes=20))
    queued = make_session("c", "1")
    found = starts(ClusterSnapshot([bounded, queued], PROJECTS, NODES, NOW))
    assert found == {queued.id: bounded.ends}
    assert not starts(ClusterSnapshot([runs, queued], PROJECTS, NODES, NOW))


def test_a_preview_says_whose_gpus_would_be_taken_back() -> None:
    borrower = make_session(
        "b", "2", "running", kind="train", placement=make_placement(*map(make_slice, (0, 1)))
    )
    asked = make_spec(gpu="1", project="team-b")
    shown = preview(asked, ClusterSnapshot([borrower], PROJECTS, NODES, NOW))
    assert shown.verdict == "reclaims"
    assert "Preempts a session of team-a, which will be requeued, to free 2 GPUs." in shown.message


def test_a_session_is_named_to_its_own_project_only() -> None:
    own = make_session("mine", project="team-b")
    others = [make_session(name) for name in ("one", "two")]
    assert sessions(mention([own], "team-b")) == "mine"
    assert sessions(mention([others[0], own], "team-b")) == "mine, a session of team-a"
    assert sessions(mention([*others, own], "team-b")) == "mine, 2 sessions of team-a"


def test_a_preview_changes_nothing() -> None:
    before = (HALF,)
    preview(make_spec(gpu="0.5"), ClusterSnapshot(before, PROJECTS, NODES, NOW))
    assert before == (HALF,)


def test_quota_sums_what_is_held_and_waited_for_by_user() -> None:
    waiting = make_session("w", "0.25", owner="ana")
    quota = sum_up(PROJECTS, [HALF, waiting], NODES, revision="7")
    team = quota.projects[0]
    assert (team.allocated, team.over, team.requested) == (500, 0, 750)
    assert (team.running, team.waiting) == (1, 1)
    assert [(u.user, u.allocated, u.waiting) for u in team.users] == [("ana", 0, 1), ("me", 500, 0)]
    assert (quota.capacity, quota.allocated, quota.free) == (2000, 500, 1500)
    assert (quota.simulated, quota.revision, quota.default) == (True, "7", "team-a")


def test_gpus_of_nodes_on_which_nothing_starts_are_not_free() -> None:
    closed = [msgspec.structs.replace(node, problem="cordoned") for node in NODES]
    quota = sum_up(PROJECTS, [HALF], closed)
    assert (quota.capacity, quota.allocated, quota.free) == (2000, 500, 0)


def test_what_is_held_on_a_closed_node_is_not_taken_from_the_free_gpus_of_others() -> None:
    closed = msgspec.structs.replace(make_node("n2", 2), problem="cordoned")
    held = make_session(
        "held", "0.5", "running", placement=make_placement(make_slice(0, 500), node="n2")
    )
    quota = sum_up(PROJECTS, [held], [*NODES, closed])
    assert (quota.capacity, quota.allocated, quota.free) == (4000, 500, 2000)


def test_of_little_memory_no_smaller_share_is_without_any() -> None:
    assert {share.memory for share in smaller(Share(memory=5))} == {1, 2, 3}


def test_devices_without_a_number_are_told_apart_by_their_uuids() -> None:
    mig = msgspec.structs.replace(make_mig_device(), index=None, uuid="GPU-b")
    node = Node(name="n1", devices=(Device(uuid="GPU-a", model="V100", memory=0), mig))
    held = [("one", "GPU-a", ""), ("two", "MIG-0-1", "2g.10gb"), ("three", "", "")]
    sessions = [
        make_session(name, "0.5", "running", placement=make_placement(piece))
        for name, uuid, profile in held
        for piece in [Slice(uuid=uuid, milli=500, memory=0, mig=profile)]
    ]
    [shown] = draw([node], sessions, {})
    assert [[s.name for s in use.slices] for use in shown.devices] == [["one"], ["two"]]


def test_nodes_name_who_holds_what() -> None:
    [node] = draw(NODES, [HALF], {"SIM-n1-0": Reading(utilisation=40, memory_used=1000)})
    first, second = node.devices
    assert [(s.name, s.milli) for s in first.slices] == [("half", 500)]
    assert (first.free, first.utilisation, first.memory_used) == (500, 40, 1000)
    assert (second.free, second.slices, second.utilisation) == (1000, (), None)
    assert node.simulated


@pytest.mark.parametrize(
    ("gpu", "simulated", "mps", "memory", "compute", "scope"),
    [
        ("0.5", True, False, "none", "none", ""),
        ("0.5", False, False, "none", "none", ""),
        ("0.5", False, True, "enforced", "enforced", "process"),
        ("2", False, True, "cooperative", "cooperative", "session"),
    ],
)
def test_isolation_is_what_the_mechanism_gives(
    gpu: str, *, simulated: bool, mps: bool, memory: str, compute: str, scope: str
) -> None:
    found = isolation_of(make_share(gpu), simulated=simulated, mps=mps)
    assert found is not None
    assert (found.memory, found.compute, found.scope) == (memory, compute, scope)
    assert found.bypass or simulated


def test_mig_is_hardware_and_no_gpu_needs_no_isolation() -> None:
    mig = isolation_of(make_share(mig_profile="1g.5gb"), simulated=False, mps=False)
    assert mig is not None
    assert (mig.memory, mig.compute) == ("hardware", "hardware")
    assert isolation_of(make_share(), simulated=False, mps=True) is None


def test_memory_alone_leaves_compute_unlimited_under_mps() -> None:
    found = isolation_of(make_share(gpu_memory="8Gi"), simulated=False, mps=True)
    assert found is not None
    assert (found.memory, found.compute) == ("enforced", "none")
