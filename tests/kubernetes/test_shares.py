"""Share providers: what each gives, refuses and renders, and which one is chosen."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.kubernetes.shares.ack import MODES
from jupyter_gpuquota.kubernetes.shares.counted import Counted
from jupyter_gpuquota.kubernetes.shares.gpu_node import GpuNode, gpu_node
from jupyter_gpuquota.kubernetes.shares.hami import Hami, HamiPercentage
from jupyter_gpuquota.kubernetes.shares.mig import Mig
from jupyter_gpuquota.kubernetes.shares.mps import Mps
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.shares.registry import NAMES, Choice, Shares
from jupyter_gpuquota.kubernetes.shares.time_slicing import TimeSlicing
from jupyter_gpuquota.kubernetes.shares.whole import Whole
from jupyter_gpuquota.model.resources import Share
from tests.kubernetes.gpu_nodes import (
    MILLI,
    V100,
    ack,
    counted,
    hami,
    make_node,
    mig_mixed,
    mig_single,
    mps,
    read,
    sliced,
    whole,
)
from tests.kubernetes.shares_contract import FORMS, ShareContract, chosen

HALF = Share(milli=500)


class TestWhole(ShareContract):
    provider, node = Whole(), read(whole())[0]
    given_share, too_much = Share(milli=2000), Share(milli=9000)


class TestTimeSlicing(ShareContract):
    provider, node = TimeSlicing(), read(sliced())[0]
    given_share, too_much = HALF, Share(milli=2000)


class TestTimeSlicingByThree(ShareContract):
    provider, node = TimeSlicing(), read(sliced(replicas=3))[0]
    given_share, too_much = Share(memory=8000), Share(memory=40_000)


class TestMps(ShareContract):
    provider, node = Mps(), read(mps())[0]
    given_share, too_much = HALF, Share(milli=600)


class TestMigMixed(ShareContract):
    provider, node = Mig(), read(mig_mixed())[0]
    given_share, too_much = Share(mig="1g.5gb"), Share(mig="7g.40gb")


class TestMigSingle(ShareContract):
    provider, node = Mig(), read(mig_single())[0]
    given_share, too_much = Share(milli=100), HALF


class TestCounted(ShareContract):
    provider, node = Counted(), read(counted())[0]
    given_share, too_much = Share(milli=330), Share(milli=2000)


class TestHami(ShareContract):
    provider, node = Hami(), read(hami())[0]
    given_share, too_much = Share(milli=330, compute=30), Share(milli=3000)


class TestHamiPercentage(ShareContract):
    provider, node = HamiPercentage(), read(hami())[0]
    given_share, too_much = Share(milli=330, compute=30), Share(milli=3000)


class TestHamiMemory(ShareContract):
    provider, node = Hami(), read(hami(memory=500))[0]
    given_share, too_much = Share(memory=499), Share(memory=501)


class TestAckCoreMem(ShareContract):
    provider, node = MODES[0], read(ack(mode="core_mem"))[0]
    given_share, too_much = Share(milli=500, compute=30), Share(milli=2000)


class TestAckCgpu(ShareContract):
    provider, node = MODES[1], read(ack())[0]
    given_share, too_much = Share(milli=2000), Share(milli=500, compute=30)


class TestAckMps(ShareContract):
    provider, node = MODES[2], read(ack(mode="mps"))[0]
    given_share, too_much = Share(memory=8192), Share(memory=16_384)


class TestAckShare(ShareContract):
    provider, node = MODES[3], read(ack(mode="share"))[0]
    given_share, too_much = HALF, Share(milli=3000)


def choice(share: Share, *nodes: GpuNode, pinned: tuple[str, ...] = ()) -> Choice:
    found = chosen(share, nodes, *pinned)
    assert isinstance(found, Choice)
    return found


def refused(share: Share, *nodes: GpuNode) -> FieldError:
    found = chosen(share, nodes)
    assert isinstance(found, FieldError)
    return found


@pytest.mark.parametrize(
    ("share", "node", "rounded", "patch"),
    [
        (
            Share(milli=2000),
            whole(),
            Share(milli=2000),
            PodPatch(milli=2000, resources={"nvidia.com/gpu": "2"}),
        ),
        (
            Share(milli=300),
            sliced(),
            HALF,
            PodPatch(milli=500, resources={"nvidia.com/gpu": "2"}),
        ),
        (
            Share(milli=300),
            sliced(replicas=3),
            Share(milli=333),
            PodPatch(milli=333, resources={"nvidia.com/gpu": "1"}),
        ),
        (
            Share(milli=300),
            mps(),
            HALF,
            PodPatch(milli=500, resources={"nvidia.com/gpu.shared": "1"}),
        ),
        (
            Share(memory=10_000),
            mps(),
            Share(memory=20_480),
            PodPatch(milli=500, resources={"nvidia.com/gpu.shared": "1"}),
        ),
        (
            Share(memory=8192),
            mig_mixed(),
            Share(mig="3g.20gb"),
            PodPatch(milli=429, resources={"nvidia.com/mig-3g.20gb": "1"}),
        ),
        (
            Share(mig="1g.5gb"),
            mig_single(),
            Share(mig="1g.5gb"),
            PodPatch(milli=143, resources={"nvidia.com/gpu": "1"}),
        ),
        (
            Share(milli=330),
            counted(),
            Share(milli=330),
            PodPatch(milli=330, resources={MILLI: "330"}, env={"NVIDIA_VISIBLE_DEVICES": "all"}),
        ),
        (
            Share(milli=125, compute=30),
            hami(),
            Share(milli=125, compute=30),
            PodPatch(
                milli=125,
                resources={
                    "nvidia.com/gpu": "1",
                    "nvidia.com/gpumem": "4096",
                    "nvidia.com/gpucores": "30",
                },
            ),
        ),
        (
            Share(milli=2000),
            hami(),
            Share(milli=2000),
            PodPatch(
                milli=2000,
                resources={"nvidia.com/gpu": "2", "nvidia.com/gpumem-percentage": "100"},
            ),
        ),
        (
            Share(milli=300),
            ack(),
            Share(milli=333),
            PodPatch(milli=333, resources={"aliyun.com/gpu-mem": "5"}),
        ),
        (
            Share(milli=2000),
            ack(),
            Share(milli=2000),
            PodPatch(
                milli=2000,
                resources={"aliyun.com/gpu-mem": "30"},
                labels={"aliyun.com/gpu-count": "2"},
            ),
        ),
        (
            Share(memory=6000),
            ack(mode="core_mem"),
            Share(memory=6144),
            PodPatch(
                milli=400,
                resources={"aliyun.com/gpu-mem": "6", "aliyun.com/gpu-core.percentage": "40"},
            ),
        ),
        (
            Share(milli=500, compute=25),
            ack(mode="core_mem"),
            Share(milli=533, compute=25),
            PodPatch(
                milli=533,
                resources={"aliyun.com/gpu-mem": "8", "aliyun.com/gpu-core.percentage": "25"},
            ),
        ),
        (
            Share(),
            whole(),
            Share(),
            PodPatch(env={"NVIDIA_VISIBLE_DEVICES": "void"}),
        ),
    ],
)
def test_a_share_is_rounded_up_and_rendered(
    share: Share, node: object, rounded: Share, patch: PodPatch
) -> None:
    found = choice(share, *read(node))
    assert found.share == rounded
    assert found.patch() == patch


@pytest.mark.parametrize(
    ("share", "node", "field", "words"),
    [
        (HALF, whole(), "gpu", "known to share GPUs"),
        (Share(milli=9000), whole(), "gpu", "largest node has 8 GPUs"),
        (Share(milli=2000), whole(gpus=1), "gpu", "largest node has 1 GPU to share"),
        (Share(milli=2000), sliced(), "gpu", "at most 1 GPU:"),
        (Share(milli=800), mps(), "gpu", "at most 0.5 GPU:"),
        (Share(memory=30_000), mps(), "gpu_memory", "at most 20 GiB:"),
        (Share(milli=500, compute=30), sliced(), "gpu_compute", "cannot limit compute"),
        (Share(mig="7g.80gb"), mig_mixed(), "mig_profile", "1g.5gb and 3g.20gb"),
        (Share(milli=600), mig_mixed(), "gpu", "at most MIG 3g.20gb:"),
        (Share(mig="1g.5gb"), whole(), "mig_profile", "No GPU is in MIG mode"),
        (Share(milli=3000), hami(), "gpu", "largest node has 2 GPUs"),
        (Share(memory=40_000), hami(), "gpu_memory", "largest has 32 GiB"),
        (Share(milli=500, compute=30), ack(), "gpu_compute", "cannot limit compute"),
        (Share(milli=2000), ack(mode="core_mem"), "gpu", "at most 1 GPU:"),
        (HALF, make_node("cpu", {"cpu": "8"}), "gpu", "No GPUs are available"),
    ],
)
def test_a_refusal_says_what_would_be_possible(
    share: Share, node: object, field: str, words: str
) -> None:
    error = refused(share, *read(node))
    assert error.field == field
    assert words in f"{error.message} {error.hint}"


@pytest.mark.parametrize(
    "node",
    [
        *(whole(), sliced(), mps(), mig_mixed(), mig_single(), counted(), hami(), ack()),
        ack(mode="core_mem"),
    ],
    ids=lambda node: node.metadata.name,
)
def test_parts_of_several_gpus_are_not_rounded_to_what_is_given_instead(node: object) -> None:
    error = refused(Share(milli=1500), *read(node))
    assert (error.field, error.key) == ("gpu", "share.whole")
    assert error.message == "Above 1, only whole GPUs are possible: enter 1 or 2."


def test_whole_gpus_are_not_taken_from_nodes_that_slice_them() -> None:
    found = choice(Share(milli=1000), *read(whole(), sliced()))
    assert [node.name for node in found.nodes] == ["dgx1-1"]
    assert found.patch().node_labels == {"nvidia.com/gpu.product": [V100]}


def test_nodes_without_labels_of_their_own_are_named() -> None:
    bare = make_node("bare", {"nvidia.com/gpu": "4"})
    found = choice(Share(milli=1000), *read(bare, sliced()))
    assert found.patch().node_labels == {"kubernetes.io/hostname": ["bare"]}


def test_the_fewest_replicas_are_taken_where_the_cost_is_the_same() -> None:
    found = choice(HALF, *read(sliced("four", 4), sliced("two", 2)))
    assert [node.name for node in found.nodes] == ["two"]
    assert found.patch().node_labels == {"nvidia.com/gpu.replicas": ["2"]}


def test_gpus_of_hami_give_the_same_fraction_whatever_their_size() -> None:
    nodes = read(hami("v100"), hami("a100", memory=81_920))
    half = choice(HALF, *nodes)
    assert {node.name for node in half.nodes} == {"v100", "a100"}
    assert half.patch().resources["nvidia.com/gpumem-percentage"] == "50"
    third = choice(Share(milli=333), *nodes)  # three of 34 % would not fit on a GPU
    assert [node.name for node in third.nodes] == ["v100"]
    assert third.patch().resources["nvidia.com/gpumem"] == "10912"


def test_a_quota_of_memory_counts_fractions_of_hami_as_memory() -> None:
    found = Shares().choose(HALF, read(hami()), counts=lambda name: name == "nvidia.com/gpumem")
    assert isinstance(found, Choice)
    assert found.patch().resources["nvidia.com/gpumem"] == "16384"


def test_stronger_isolation_wins_where_the_cost_is_the_same() -> None:
    nodes = read(sliced(), mps(), counted())
    assert choice(HALF, *nodes).provider.name == "mps"
    assert choice(Share(milli=250), *nodes).provider.name == "time-slicing"


def test_an_admin_pins_providers() -> None:
    nodes = read(sliced(), mps())
    assert choice(HALF, *nodes, pinned=("time-slicing",)).provider.name == "time-slicing"
    assert isinstance(Shares(("whole",)).choose(HALF, nodes), FieldError)


def test_nothing_isolates_on_simulated_nodes() -> None:
    isolation = choice(Share(milli=1000), *read(counted())).isolation()
    assert isolation
    assert (isolation.memory, isolation.note) == ("none", "The GPU is simulated.")
    assert choice(Share(), *read(counted())).isolation() is None
    real = choice(Share(milli=1000), *read(counted(), whole())).isolation()
    assert real
    assert real.memory == "enforced"


def test_mps_says_that_its_limits_are_per_process() -> None:
    isolation = choice(HALF, *read(mps())).isolation()
    assert isolation
    assert (isolation.memory, isolation.scope) == ("enforced", "process")
    assert "separately" in isolation.bypass[0]


CLUSTERS = st.lists(
    st.sampled_from(
        read(
            *(whole(), sliced(), mps(), mig_mixed(), mig_single(), counted(), sliced("three", 3)),
            *(hami(), hami("small", memory=500), ack(), ack("ack-2", "core_mem")),
        )
    ),
    max_size=4,
    unique_by=lambda node: node.name,
)
PINNED = st.lists(st.sampled_from(NAMES), unique=True)


@given(share=FORMS, nodes=CLUSTERS, pinned=PINNED)
@example(share=Share(milli=751), nodes=read(whole(), sliced()), pinned=[])
def test_any_share_is_given_or_refused_by_field(
    share: Share, nodes: list[GpuNode], pinned: list[str]
) -> None:
    found = Shares(pinned).choose(share, nodes)
    if isinstance(found, FieldError):
        assert found.field in {"gpu", "gpu_memory", "gpu_compute", "mig_profile"}
        return
    again = Shares(pinned).choose(found.share, nodes)
    assert isinstance(again, Choice)
    assert (again.grant, again.provider.name) == (found.grant, found.provider.name)
    assert found.grant.milli >= share.milli
    assert {node.name for node in found.nodes}.isdisjoint(node.name for node in found.others)
    for label, values in found.patch().node_labels.items():
        assert all(node.labels[label] in values for node in found.nodes)
        assert not any(node.labels.get(label) in values for node in found.others)


def test_labels_and_amounts_that_cannot_be_read_count_as_absent() -> None:
    odd = make_node("odd", {"nvidia.com/gpu": "2", "cpu": "many"}, gpu_memory="x", gpu_replicas=-1)
    node = gpu_node(odd)
    assert (node.offered, node.memory, node.replicas, node.sharing) == (2, 0, 1, "")
    assert "cpu" not in node.resources


@pytest.mark.parametrize(
    "register",
    [
        "GPU-0,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true:GPU-1,10,32768,100,x,0,false:",
        '[{"id":"GPU-0","count":10,"devmem":32768,"type":"NVIDIA-Tesla V100-PCIE-32GB"},'
        '{"id":"GPU-1","devmem":40960,"mode":"mig"}]',
    ],
)
def test_the_gpus_that_hami_divides_are_read_from_its_annotation(register: str) -> None:
    found = gpu_node(
        make_node(
            resources={"nvidia.com/gpu": "10"},
            annotations={"hami.io/node-nvidia-register": register},
        )
    )
    assert (found.count, found.memory, found.offered) == (1, 32_768, 1)
    assert found.product == "Tesla V100-PCIE-32GB"
    assert found.parts_look_whole


@pytest.mark.parametrize("register", ["", "[{", "GPU-0,10", '[{"id":"GPU-0","devmem":"?"}]'])
def test_an_annotation_that_cannot_be_read_counts_as_absent(register: str) -> None:
    annotations = {"hami.io/node-nvidia-register": register}
    found = gpu_node(make_node(resources={"nvidia.com/gpu": "10"}, annotations=annotations))
    assert (found.cards, found.offered) == (None, 10)


@pytest.mark.parametrize(
    ("requested", "milli"),
    [
        ({"nvidia.com/gpu": 1, "nvidia.com/gpumem": 8192}, 250),
        ({"nvidia.com/gpumem": 8192}, 250),
        ({"nvidia.com/gpu": 2, "nvidia.com/gpumem-percentage": 50}, 1000),
        ({"nvidia.com/gpu": 1}, 1000),
        ({"cpu": 4}, 0),
    ],
)
def test_pods_on_nodes_of_hami_hold_the_memory_they_request(
    requested: dict[str, int], milli: int
) -> None:
    node = read(hami())[0]
    assert sum(node.milli(name, units) for name, units in node.held(requested).items()) == milli
