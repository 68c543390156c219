"""What projects of a cluster hold: their sessions, and the other workloads of their namespaces."""

from __future__ import annotations

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.kubernetes.usage import ClusterUsage
from jupyter_gpuquota.model.resources import Holding, Placement, Slice
from tests.builders import make_node, make_project, make_session


def placed(milli: int) -> Placement:
    return Placement(node="n1", slices=(Slice(milli=milli, memory=0),))


def test_other_workloads_count_for_the_project_of_their_namespace() -> None:
    board = Board()
    board.show_settings(Settings(projects=(make_project("team-a", "2"), make_project("team-b"))))
    node = make_node("n1", 8)
    holdings = (
        Holding(name="team-a/notebook-0", placement=placed(1500)),
        Holding(name="elsewhere/job", placement=placed(1000)),
    )
    board.show_inventory(Inventory((node,), holdings=holdings), (node,))
    board.show(make_session("exp-1", "1", "running", placement=placed(1000), project="team-a"))
    found = ClusterUsage(board, 30).quota()
    uses = {use.name: use for use in found.projects}
    assert (uses["team-a"].allocated, uses["team-a"].over) == (2500, 500)
    assert uses["team-a"].requested == 2500
    assert [(user.user, user.allocated) for user in uses["team-a"].users] == [("me", 1000)]
    assert uses["team-b"].allocated == 0
    assert (found.allocated, found.others, found.free) == (1000, 2500, 4500)
    assert found.capacity == found.allocated + found.others + found.free
