"""What other quotas would have meant for the past."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.forecast.backtest import replay, with_past
from jupyter_gpuquota.model.history import HistoryPoint
from jupyter_gpuquota.model.projects import ChangePreview
from tests.builders import NOW, make_project

BEFORE = (make_project("team-a", "2"), make_project("team-b", "2"))
AFTER = (make_project("team-a", "3"), make_project("team-b", "1"))
CAPACITY = 4000


def point(project: str, allocated: int, asked: int = 0, hour: int = 0) -> HistoryPoint:
    return HistoryPoint(
        at=NOW + timedelta(hours=hour),
        project=project,
        seconds=3600,
        allocated=allocated,
        in_quota=0,
        borrowed=0,
        requested=asked,
        peak=allocated,
        waiting=0,
    )


def test_who_waited_gains_and_who_held_loses() -> None:
    points = [point("team-a", 2000, 1000), point("team-b", 2000)]
    a, b = replay(points, BEFORE, AFTER, CAPACITY)
    assert (a.name, a.gained, a.lost) == ("team-a", 1000, 0)
    assert (b.name, b.gained, b.lost) == ("team-b", 0, 1000)


def test_hours_add_up() -> None:
    points = [
        found
        for hour in range(5)
        for found in (point("team-a", 2000, 500, hour), point("team-b", 2000, 0, hour))
    ]
    a, b = replay(points, BEFORE, AFTER, CAPACITY)
    assert (a.gained, b.lost) == (2500, 2500)


def test_a_deleted_project_has_no_right_to_what_it_held() -> None:
    [b] = replay([point("team-b", 1500)], BEFORE, BEFORE[:1], CAPACITY)
    assert b.lost == 1500


def test_what_nobody_needed_changes_nothing() -> None:
    assert replay([point("team-a", 500), point("team-b", 500)], BEFORE, AFTER, CAPACITY) == ()
    told = ChangePreview(message="Nothing would change.")
    assert with_past(told, [], BEFORE, AFTER, CAPACITY) == told


def test_it_is_told_in_words() -> None:
    points = [point("team-a", 2000, 1000), point("team-b", 2000)]
    told = with_past(ChangePreview(message="Now nothing."), points, BEFORE, AFTER, CAPACITY)
    assert told.message == (
        "Now nothing. Over the last week: team-a would have been entitled to 1 more of the GPU "
        "hours it requested. team-b could have lost 1 more GPU hours to reclaims."
    )


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 4000)), min_size=2, max_size=2))
def test_there_and_back_again_is_nothing(held: list[tuple[int, int]]) -> None:
    points = [point(p.name, *amounts) for p, amounts in zip(BEFORE, held, strict=True)]
    there = replay(points, BEFORE, AFTER, CAPACITY)
    back = replay(points, AFTER, BEFORE, CAPACITY)
    assert [(e.name, -e.gained, -e.lost) for e in there] == [
        (e.name, e.gained, e.lost) for e in back
    ]
    assert replay(points, BEFORE, BEFORE, CAPACITY) == ()
