"""What projects of a cluster hold: their sessions, and the other workloads of their namespaces."""

from __future__ import annotations

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.kubernetes.usage import ClusterUsage
from jupyter_gpuquota.model.quota import Department
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


def test_departments_hold_what_is_in_and_below_them() -> None:
    board = Board()
    board.show_settings(
        Settings(
            projects=(make_project("team-a", "2"), make_project("team-b"), make_project("alone")),
            departments=(
                Department(name="all", projects=("team-b",), quota=8000),
                Department(name="vision", parent="all", projects=("team-a",)),
                Department(name="round", parent="trip"),
                Department(name="trip", parent="round", projects=("gone",)),
            ),
        )
    )
    node = make_node("n1", 8)
    names = ("team-a", "team-b", "alone")
    holdings = tuple(
        Holding(name=f"{name}/notebook-0", placement=placed(1000 * count))
        for count, name in enumerate(names, 1)
    )
    board.show_inventory(Inventory((node,), holdings=holdings), (node,))
    found = ClusterUsage(board, 30).quota().departments
    assert {each.name: each.allocated for each in found} == {
        "all": 3000,
        "vision": 1000,
        "round": 0,
        "trip": 0,
    }


def test_a_change_of_departments_changes_the_quota() -> None:
    board = Board()
    before = board.revision("quota")
    board.show_settings(Settings(departments=(Department(name="all", quota=8000),)))
    assert board.revision("quota") != before
