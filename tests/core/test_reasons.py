"""Reasons and hints say what is true: of fragments, of borrowing, and for who is not first."""

from __future__ import annotations

from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import MILLI, Node, Placement
from jupyter_gpuquota.model.sessions import Kind, Session
from tests.builders import make_node, make_placement, make_project, make_session, make_slice
from tests.core.rounds import play

HOUR = 3600


def runs(name: str, project: str, node: str, index: int, kind: Kind = "interactive") -> Session:
    """Return a session that holds a GPU."""
    held = make_placement(make_slice(index, MILLI), node=node)
    fields = {"project": project, "kind": kind}
    return make_session(name, "1", "running", age=HOUR, placement=held, **fields)


def waits(name: str, gpu: str, project: str, age: int = 0, kind: Kind = "interactive") -> Session:
    """Return a queued session; what is older is ahead."""
    return make_session(name, gpu, age=age, project=project, kind=kind)


def why(name: str, sessions: list[Session], projects: list[Project], nodes: list[Node]) -> Reason:
    """Return why a session waits once nothing changes any more."""
    rest, _ = play(sessions, projects, nodes)
    reason = rest[name].reason
    assert reason is not None
    return reason


def test_fragments_of_whole_gpus_say_nothing_of_shared_ones() -> None:
    running = [runs("b1", "b", "n1", 0), runs("b2", "b", "n2", 0)]
    projects = [make_project("a", "2"), make_project("b", "2")]
    nodes = [make_node("n1", 2), make_node("n2", 2)]
    found = why("a1", [*running, waits("a1", "2", "a")], projects, nodes)
    assert found.code == "Fragmented"
    assert found.hint == (
        "Request 1 GPU, which would start now, or wait until enough GPUs of one node are free."
    )


def test_what_could_be_reclaimed_on_another_node_is_a_fragment() -> None:
    running = [runs("spot", "b", "n1", 0, "interactive-spot")]
    running += [runs(f"a{index}", "a", "n2", index) for index in range(2)]
    projects = [make_project("a", "2"), make_project("b", "2")]
    nodes = [make_node("n1", 1), make_node("n2", 3)]
    found = why("b1", [*running, waits("b1", "2", "b")], projects, nodes)
    assert found.code == "Fragmented"
    assert "1 free and 1 GPU that could be reclaimed" in found.message
    assert "borrow" not in found.message


def test_what_others_borrowed_on_several_nodes_is_a_fragment() -> None:
    running = [runs(f"a{index}", "a", f"n{index}", 0) for index in range(2)]
    running += [runs(f"c{index}", "c", f"n{index}", 1, "train") for index in range(2)]
    projects = [make_project("a", "2"), make_project("b", "2"), make_project("c", "0", weight="1")]
    nodes = [make_node(f"n{index}", 2) for index in range(2)]
    found = why("b1", [*running, waits("b1", "2", "b")], projects, nodes)
    assert (found.code, found.key) == ("Fragmented", "fragmented.reclaim.whole")
    assert "0 free and 2 GPUs that could be reclaimed" in found.message


def test_what_the_own_project_uses_counts_as_what_is_not_free() -> None:
    part = make_session("r", "0.125", "running", age=HOUR, project="a", placement=_eighth())
    waiting = waits("w", "1", "a", kind="train")
    projects = [make_project("a", "1"), make_project("b", "0")]
    found = why("w", [part, waiting], projects, [make_node("n1", 1)])
    assert found.key == "quota.borrow_part"
    assert found.hint == "Starts when enough GPUs are free."


def _eighth() -> Placement:
    return Placement(node="n1", slices=(make_slice(0, 125),), simulated=True)


def test_too_little_to_reclaim_is_no_fragment() -> None:
    running = [runs("a1", "a", "n1", 0), runs("a2", "a", "n1", 1)]
    projects = [make_project("a", "2"), make_project("b", "2")]
    found = why("b1", [*running, waits("b1", "2", "b")], projects, [make_node("n1", 2)])
    assert found.code == "NoNodeFits"
    assert "not enough can be reclaimed" in found.message


def test_who_is_second_is_not_promised_what_the_first_one_takes() -> None:
    line = [waits("first", "0.5", "a", age=20), waits("second", "0.5", "a", age=10)]
    sessions = [runs("a1", "a", "n1", 0), *line]
    given = (sessions, [make_project("a", "1")], [make_node("n1", 2)])
    assert why("first", *given).hint.startswith("Starts when 0.5 GPU of that is released. ")
    assert why("second", *given).hint.startswith(
        "Starts when 0.5 GPU of that is released beyond what those ahead of it need. "
    )


def test_what_no_release_makes_possible_never_starts() -> None:
    line = [waits("big", "2", "a", age=20), waits("small", "1", "a", age=10)]
    sessions = [runs("a1", "a", "n1", 0), *line]
    given = (sessions, [make_project("a", "1")], [make_node("n1", 2)])
    assert "otherwise it cannot start" in why("big", *given).hint
    assert why("small", *given).hint.startswith("Starts when 1 GPU of that is released. ")
