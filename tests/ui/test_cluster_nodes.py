"""Nodes whose GPUs are not told apart, as those of a cluster."""

from __future__ import annotations

from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.model.nodes import Nodes
from jupyter_gpuquota.model.resources import Device, Holding, Node, Placement, Slice
from jupyter_gpuquota.ui.views.nodes import NodesView
from jupyter_gpuquota.ui.views.top import TopView
from tests.builders import make_session

POOL = Device(uuid="", model="V100", memory=32_768, count=8)
UNKNOWN = Device(uuid="", model="GPU", memory=0)


def placed(node: str, milli: int) -> Placement:
    return Placement(node=node, slices=(Slice(milli=milli, memory=16_384),))


def make_nodes() -> Nodes:
    nodes = (
        Node(name="dgx1-1", devices=(POOL,)),
        Node(name="dgx1-2", devices=(UNKNOWN,), problem="cordoned"),
    )
    session = make_session("exp-1", "0.5", "running", placement=placed("dgx1-1", 500))
    holding = Holding(name="ns/job", placement=placed("dgx1-1", 2000))
    drawn = draw(nodes, [session], {}, [holding])
    return Nodes(nodes=drawn, source="cluster", revision="1")


def test_gpus_that_are_not_told_apart_are_one_row() -> None:
    head, pool, closed = NodesView(make_nodes()).text.splitlines()
    assert [word for word in head.split() if word in {"GPU", "FREE"}] == ["GPU", "FREE"]
    for words in ("8 GPUs", "V100", "32 GiB", "5.5", "team-a/exp-1 0.5", " ns/job 2"):
        assert words in pool
    assert "1 GPU " in closed
    assert "GPU (cordoned)" in closed
    assert "MiB" not in closed
    assert "31 % in use" in NodesView(make_nodes()).html


def test_a_session_runs_on_a_node_where_its_gpus_are_not_known() -> None:
    row = TopView(make_nodes(), project="team-a").text.splitlines()[1]
    assert "dgx1-1" in row
    assert "GPU" not in row


def test_rows_say_how_many_gpus_and_why_nothing_starts() -> None:
    rows = NodesView(make_nodes()).records
    assert [(row["gpu"], row["count"], row["problem"]) for row in rows] == [
        (None, 8, ""),
        (None, 1, "cordoned"),
    ]
