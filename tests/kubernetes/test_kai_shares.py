"""Parts of GPUs that KAI Scheduler gives."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import FieldError
from jupyter_gpuquota.kubernetes.engines.kai.workloads import Seen, snapshot_of
from jupyter_gpuquota.kubernetes.nodes import NodeSettings, read_nodes, slices_of
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.shares.gpu_node import Division, GpuNode, gpu_node
from jupyter_gpuquota.kubernetes.shares.kai import (
    Kai,
    KaiLimited,
    RunAi,
    devices_requested,
    part_requested,
)
from jupyter_gpuquota.kubernetes.shares.provider import Grant, PodPatch
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.resources import Share
from tests.kubernetes.gpu_nodes import whole
from tests.kubernetes.kai.objects import node as node_of_kai
from tests.kubernetes.kai.objects import pod, reservation
from tests.kubernetes.shares_contract import ShareContract


def node(divides: Division = "counted", **more: object) -> GpuNode:
    return gpu_node(whole(**more), divides=divides)


class AnnotationContract(ShareContract):
    """The contract where the scheduler reads annotations."""

    def check_request(self, grant: Grant) -> None:
        patch = self.provider.render(grant)
        assert patch.resources == {}
        assert part_requested(patch.annotations, self.node.usable) == grant.milli


class TestKai(AnnotationContract):
    provider, node = Kai(), node()
    given_share, too_much = Share(milli=330), Share(memory=40_000)


class TestKaiWithLimits(AnnotationContract):
    provider, node = KaiLimited(), node("limited")
    given_share, too_much = Share(milli=330), Share(milli=500, compute=50)


class TestRunAi(AnnotationContract):
    provider, node = RunAi(), node("runai")
    given_share, too_much = Share(milli=330), Share(memory=40_000)


def choice(share: Share, *nodes: GpuNode) -> Choice:
    found = Shares().choose(share, nodes)
    assert isinstance(found, Choice)
    return found


def test_a_fraction_is_an_annotation_and_no_resource() -> None:
    patch = choice(Share(milli=500), node()).patch()
    assert patch == PodPatch(milli=500, annotations={"gpu-fraction": "0.5"})


def test_memory_is_an_annotation_in_mib() -> None:
    patch = choice(Share(memory=8192), node()).patch()
    assert patch.annotations == {"gpu-memory": "8192"}
    assert patch.milli == 260  # of 32,700 MiB, as KAI counts in hundreds


def test_whole_gpus_stay_a_resource() -> None:
    patch = choice(Share(milli=2000), node()).patch()
    assert (patch.resources, patch.annotations) == ({"nvidia.com/gpu": "2"}, {})


def test_a_fraction_is_rounded_up_to_hundredths() -> None:
    found = choice(Share(milli=333), node())
    assert (found.share.milli, found.patch().annotations) == (340, {"gpu-fraction": "0.34"})


@pytest.mark.parametrize(
    ("milli", "given", "part", "devices"),
    [
        (1500, 1500, "0.75", "2"),
        (1001, 1020, "0.51", "2"),
        (1980, 1980, "0.99", "2"),
        (2500, 2520, "0.84", "3"),
        (7001, 7040, "0.88", "8"),
    ],
)
def test_an_amount_above_one_is_equal_parts_of_the_fewest_gpus(
    milli: int, given: int, part: str, devices: str
) -> None:
    found = choice(Share(milli=milli), node())
    assert (found.share, found.grant.milli) == (Share(milli=given), given)
    patch = found.patch()
    assert patch.annotations == {"gpu-fraction": part, "gpu-fraction-num-devices": devices}
    assert (patch.resources, patch.milli) == ({}, given)


@pytest.mark.parametrize(("milli", "gpus"), [(991, 1), (1981, 2), (7993, 8)])
def test_what_is_rounded_up_to_whole_gpus_is_whole(milli: int, gpus: int) -> None:
    for divides in ("counted", "limited", "runai"):
        found = choice(Share(milli=milli), node(divides))
        assert (found.provider.name, found.share) == ("whole", Share(milli=gpus * 1000))
        assert found.patch().resources == {"nvidia.com/gpu": str(gpus)}


def test_parts_of_more_gpus_than_a_node_has_are_refused() -> None:
    small, large = node(gpus=2), node(name="dgx1-2", gpus=4)
    assert [n.name for n in choice(Share(milli=2500), small, large).nodes] == ["dgx1-2"]
    found = Shares().choose(Share(milli=4500), [small, large])
    assert isinstance(found, FieldError)
    assert found.message == "No node has 4.5 GPUs (0.9 of each of 5)."
    assert found.hint == "The largest node has 4 GPUs to share."


def test_nothing_is_divided_without_kai() -> None:
    assert not isinstance(Shares().choose(Share(milli=500), [node("")]), Choice)


def test_the_memory_of_a_fraction_is_limited_where_that_can_be() -> None:
    found = choice(Share(milli=250), node("limited"))
    assert found.patch().annotations == {
        "gpu-fraction": "0.25",
        "nvidia.com/container.session.gpu-memory.limit": "8175Mi",
    }
    isolation = found.isolation()
    assert isolation is not None
    assert isolation.memory == "enforced"
    assert choice(Share(milli=1500), node("limited")).patch().annotations == {
        "gpu-fraction": "0.75",
        "gpu-fraction-num-devices": "2",
        "nvidia.com/container.session.gpu-memory.limit": "24525Mi",  # of each
    }


def test_run_ai_limits_memory_without_an_annotation() -> None:
    found = choice(Share(milli=250), node("runai"))
    assert found.patch().annotations == {"gpu-fraction": "0.25"}
    isolation = found.isolation()
    assert isolation is not None
    assert (isolation.memory, isolation.compute, isolation.scope) == (
        "enforced",
        "none",
        "container",
    )


def test_without_limits_nothing_isolates() -> None:
    isolation = choice(Share(milli=250), node()).isolation()
    assert isolation is not None
    assert isolation.memory == "none"


def test_other_nodes_are_left_out_where_a_session_may_not_use_them() -> None:
    mine = gpu_node(whole("dgx1-1", labelled={"run.ai/type": "a"}), divides="counted")
    other = gpu_node(whole("dgx1-2", labelled={"run.ai/type": "b"}), divides="counted")
    found = Shares(groups=("run.ai/type",)).choose(Share(milli=500), [mine], [other])
    assert isinstance(found, Choice)
    assert found.patch().node_labels == {"run.ai/type": ["a"]}


@given(st.integers(1, 99))
def test_what_is_rendered_is_read(hundredths: int) -> None:
    patch = choice(Share(milli=10 * hundredths), node()).patch()
    assert part_requested(patch.annotations, 32_700) == 10 * hundredths


@given(st.integers(1, 8000))
def test_no_amount_is_given_less_or_much_more(milli: int) -> None:
    found = choice(Share(milli=milli), node())
    assert 0 <= found.share.milli - milli < 10 * found.share.count
    assert found.share.count == Share(milli=milli).count
    annotations = found.patch().annotations
    if not found.share.devices:
        each = part_requested(annotations, 32_700)
        assert each * devices_requested(annotations) == found.share.milli


@pytest.mark.parametrize(
    ("text", "expected"), [(".5", 500), ("5e-1", 500), ("0.333333", 330), ("half", 0), ("", 0)]
)
def test_fractions_in_every_form(text: str, expected: int) -> None:
    assert part_requested({"gpu-fraction": text}, 32_768) == expected


def held(raw: dict[str, object], divides: Division = "counted") -> list[int]:
    return [piece.milli for piece in slices_of(msgspec.convert(raw, Pod), node(divides))]


def test_what_pods_hold_is_read_from_what_kai_wrote() -> None:
    half = {"gpu-fraction": "0.5"}
    assert held(pod("a", gpus=2, node="dgx1-1")) == [2000]
    assert held(pod("b", annotations=half, labels={"runai-gpu-group": "g1"})) == [500]
    two = {"gpu-fraction": "0.4", "gpu-fraction-num-devices": "2"}
    groups = {"runai-gpu-group/g1": "g1", "runai-gpu-group/g2": "g2"}
    assert held(pod("c", annotations=two, labels=groups)) == [800]
    memory = {"gpu-memory": "8192"}
    assert held(pod("d", annotations=memory, labels={"runai-gpu-group": "g1"})) == [250]


def test_a_fraction_that_kai_did_not_place_holds_nothing() -> None:
    assert held(pod("a", annotations={"gpu-fraction": "0.5"}, scheduler="default-scheduler")) == []


def test_the_pod_that_keeps_a_gpu_is_not_counted_as_well() -> None:
    assert held(reservation("g1", "dgx1-1")) == []
    assert held(reservation("g1", "dgx1-1"), "") == [1000]
    of_runai = reservation("g1", "dgx1-1")
    of_runai["metadata"]["namespace"] = "runai-reservation"
    assert held(of_runai, "runai") == []


@pytest.mark.parametrize(
    ("part", "share"),
    [
        ({"gpu-fraction": "0.5"}, Share(milli=500)),
        ({"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"}, Share(milli=1000)),
        ({"gpu-memory": "8192"}, Share(memory=8192)),
        ({"gpu-memory": "8192", "gpu-fraction-num-devices": "3"}, Share(milli=750)),
        ({"gpu-memory": "much", "gpu-fraction-num-devices": "two"}, Share()),
    ],
)
def test_equal_parts_of_several_gpus_count_as_their_sum(part: dict[str, str], share: Share) -> None:
    """8192 MiB of each of three GPUs with 32,700 are three times 25 hundredths."""
    waiting = pod("x", "elsewhere", annotations=part, labels={"kai.scheduler/queue": "team-b"})
    cluster = read_nodes(
        [msgspec.convert(node_of_kai("dgx1-1", 2), KubeNode)], NodeSettings(divides="counted")
    )
    seen = Seen(
        projects={"team-b": Project(name="team-b", quota=2000)},
        cluster=cluster,
        pods=[msgspec.convert(waiting, Pod)],
        groups={},
        sessions=[],
        now=datetime.now(UTC),
    )
    (found,) = snapshot_of(seen).sessions
    assert found.spec.share == share
