"""Nodes of a cluster, and who holds their GPUs, as screens show them."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.core.scheduling.capacity import capacity_of
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.nodes import (
    ClusterNodes,
    NodeSettings,
    inventory_of,
    placement_of,
    read_nodes,
)
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode, Taint
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.objects.pods import Container, Pod, PodSpec, PodStatus, Resources
from jupyter_gpuquota.model.pods import Toleration
from jupyter_gpuquota.model.resources import Node
from tests.builders import make_session
from tests.kubernetes.gpu_nodes import (
    MILLI,
    counted,
    make_node,
    mig_mixed,
    mig_single,
    mps,
    sliced,
    whole,
)

SETTINGS = NodeSettings(counted=MILLI)


def read(*nodes: KubeNode, settings: NodeSettings = SETTINGS) -> ClusterNodes:
    return read_nodes(nodes, settings)


def only(node: KubeNode, **settings: Any) -> Node:
    [found] = read(node, settings=NodeSettings(**{"counted": MILLI, **settings})).nodes
    return found


def container(name: str = "main", **resources: str) -> Container:
    return Container(name=name, resources=Resources(limits=resources))


def make_pod(
    name: str = "p",
    node: str = "dgx1-1",
    *containers: Container,
    init: tuple[Container, ...] = (),
    session: str = "",
    phase: str = "Running",
    **resources: str,
) -> Pod:
    return Pod(
        metadata=Meta(name=name, namespace="team-b", labels={SESSION: session} if session else {}),
        spec=PodSpec(
            node_name=node,
            containers=containers or (container(**resources),),
            init_containers=init,
        ),
        status=PodStatus(phase=phase),
    )


def gpus(count: int | str) -> dict[str, str]:
    return {"nvidia.com/gpu": str(count)}


@pytest.mark.parametrize(
    ("node", "model", "memory", "counts"),
    [
        (whole(), "Tesla-V100-SXM2-32GB", 32_768, [8]),
        (sliced(), "Tesla-V100-SXM2-32GB", 32_768, [2]),
        (mps(), "NVIDIA-A100-SXM4-40GB", 40_960, [2]),
        (mig_mixed(), "NVIDIA-A100-SXM4-40GB", 40_960, [1, 2]),
        (mig_single(), "NVIDIA-A100-SXM4-40GB", 0, [2]),
        (make_node("bare", {"nvidia.com/gpu": "4"}), "GPU", 0, [4]),
        (make_node("cpu", {"cpu": "64"}), "", 0, []),
    ],
)
def test_gpus_of_one_kind_are_one_device(
    node: KubeNode, model: str, memory: int, counts: list[int]
) -> None:
    devices = only(node).devices
    assert [device.count for device in devices] == counts
    assert all((d.model, d.memory, d.index, d.uuid) == (model, memory, None, "") for d in devices)


def test_mig_instances_are_listed_by_profile() -> None:
    mig = only(mig_mixed()).devices[1].mig
    assert [(i.profile, i.memory, i.slices) for i in mig] == [
        *[("1g.5gb", 4864, 1)] * 4,
        *[("3g.20gb", 19_073, 3)] * 2,
    ]


def test_fake_nodes_are_simulated() -> None:
    assert only(counted()).simulated
    assert not only(whole()).simulated


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        (whole(), ""),
        (whole(ready=False), "not ready"),
        (whole(cordoned=True), "cordoned"),
        (whole(taints=(Taint(key="maintenance", effect="NoSchedule"),)), "tainted: maintenance"),
        (whole(taints=(Taint(key="slow", effect="PreferNoSchedule"),)), ""),
        (whole(taints=(Taint(key="nvidia.com/gpu", value="present", effect="NoSchedule"),)), ""),
        (whole(taints=(Taint(key="team", value="a", effect="NoSchedule"),)), ""),
        (whole(taints=(Taint(key="team", value="b", effect="NoSchedule"),)), "tainted: team"),
    ],
)
def test_a_node_on_which_nothing_starts_says_why(node: KubeNode, problem: str) -> None:
    found = only(node, tolerations=(Toleration(key="team", value="a"),))
    assert found.problem == problem
    [use] = draw([found], [], {})
    assert (use.problem, sum(device.free for device in use.devices)) == (
        problem,
        0 if problem else 8000,
    )


def test_gpus_that_do_not_respond_are_lost() -> None:
    assert capacity_of([only(whole(ready=False))]) == 0
    broken = whole()
    broken = make_node(
        "dgx1-1", {"nvidia.com/gpu": "7"}, gpu_count=8, capacity=broken.status.capacity
    )
    assert [(d.count, d.lost) for d in only(broken).devices] == [(7, False), (1, True)]


def test_groups_are_values_of_labels() -> None:
    node = make_node("n1", {"nvidia.com/gpu": "1"})
    labelled = KubeNode(
        metadata=Meta(name="n1", labels={"run.ai/type": "dgx1", "zone": "b"}), status=node.status
    )
    assert only(labelled).labels == ("dgx1",)
    assert only(labelled, groups=("zone", "rack")).labels == ("b",)


def test_pods_of_others_are_holdings_and_ours_are_not() -> None:
    cluster = read(whole(), counted())
    pods = [
        make_pod("train", "dgx1-1", **gpus(2)),
        make_pod("half", "kwok-1", **{MILLI: "500"}),
        make_pod("gpu-exp-1-0", "dgx1-1", session="id-1", **gpus(1)),
        make_pod("liar", "dgx1-1", session="no-such", **gpus(1)),
        make_pod("done", "dgx1-1", phase="Succeeded", **gpus(4)),
        make_pod("pending", "", phase="Pending", **gpus(4)),
        make_pod("web", "dgx1-1", cpu="4"),
    ]
    found = inventory_of(cluster, pods, {"id-1"})
    assert [(h.name, h.placement.node, h.placement.milli) for h in found.holdings] == [
        ("team-b/train", "dgx1-1", 2000),
        ("team-b/half", "kwok-1", 500),
        ("team-b/liar", "dgx1-1", 1000),
    ]
    assert [h.placement.simulated for h in found.holdings] == [False, True, False]


def test_a_node_shows_sessions_and_holdings_and_what_is_free() -> None:
    cluster = read(mig_mixed())
    pods = [
        make_pod("big", "mig-1", **gpus(1)),
        make_pod("small", "mig-1", **{"nvidia.com/mig-1g.5gb": "1"}),
    ]
    placement = placement_of(
        make_pod("s", "mig-1", **{"nvidia.com/mig-3g.20gb": "1"}), cluster.gpus
    )
    session = make_session("exp-1", state="running", placement=placement)
    found = inventory_of(cluster, pods, ())
    [use] = draw(found.nodes, [session], {}, found.holdings)
    assert [(d.free, [s.name for s in d.slices]) for d in use.devices] == [
        (0, ["team-b/big"]),
        (2000 - 429 - 143, ["exp-1", "team-b/small"]),
    ]
    assert [piece.memory for piece in use.devices[1].slices] == [19_073, 4864]


def test_containers_add_up_and_init_containers_do_not() -> None:
    cluster = read(whole())
    pod = make_pod(
        "p",
        "dgx1-1",
        container("a", **gpus(1)),
        container("b", **gpus(1)),
        init=(
            container("i", **gpus(3)),
            container("j", **gpus(1)),
        ),
    )
    placement = placement_of(pod, cluster.gpus)
    assert placement
    assert placement.milli == 3000


def test_a_pod_on_a_node_that_is_not_known_yet_holds_whole_gpus() -> None:
    placement = placement_of(make_pod("p", "new", **gpus(1)), {})
    assert placement
    assert (placement.node, placement.milli) == ("new", 1000)
