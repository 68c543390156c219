"""Samples of use, and how many become few."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.history import (
    DAY,
    Bucket,
    coarsen,
    point,
    sample,
    tier_for,
    tiers,
    window,
)
from jupyter_gpuquota.core.quota import sum_up
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.nodes import Reading
from tests.builders import (
    NOW,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_slice,
)

SUMS = ("seconds", "allocated", "borrowed", "asked", "busy", "measured")
AMOUNTS = st.integers(0, 10**7)


@st.composite
def buckets(draw: st.DrawFn) -> Bucket:
    borrowed, more = draw(AMOUNTS), draw(AMOUNTS)
    return Bucket(
        at=draw(st.integers(0, 10**6)) * 30,
        project=draw(st.sampled_from(["a", "b", "c"])),
        seconds=30,
        allocated=borrowed + more,
        borrowed=borrowed,
        asked=draw(AMOUNTS),
        busy=draw(st.integers(0, 3000)),
        measured=30,
        peak=draw(AMOUNTS),
        waiting=draw(st.integers(0, 50)),
    )


def total(found: Any, project: str, field: str) -> int:
    return sum(getattr(bucket, field) for bucket in found if bucket.project == project)


@given(st.lists(buckets(), max_size=30), st.sampled_from([30, 300, 3600, DAY]))
def test_coarser_buckets_keep_every_sum_and_the_peaks(many: list[Bucket], step: int) -> None:
    few = coarsen(many, step)
    for project in "abc":
        assert all(total(few, project, f) == total(many, project, f) for f in SUMS)
        peaks = [b.peak for b in many if b.project == project]
        assert max((b.peak for b in few if b.project == project), default=0) == max(
            peaks, default=0
        )
    assert all(bucket.at % step == 0 for bucket in few)
    assert len({(bucket.at, bucket.project) for bucket in few}) == len(few) <= len(many)


@given(st.lists(buckets(), max_size=30))
def test_coarsening_twice_is_coarsening_once(many: list[Bucket]) -> None:
    assert coarsen(coarsen(many, 300), 3600) == coarsen(many, 3600)
    assert coarsen(many[::-1], 3600) == coarsen(many, 3600)


@given(buckets())
def test_a_mean_is_made_of_what_is_by_right_and_what_is_borrowed(bucket: Bucket) -> None:
    told = point(bucket)
    assert told.by_right + told.borrowed == told.allocated
    assert min(told.by_right, told.borrowed, told.asked) >= 0
    assert told.allocated * bucket.seconds == pytest.approx(bucket.allocated, abs=bucket.seconds)


@given(
    st.integers(1, 90 * 24 * 60),
    st.integers(0, 90 * 24 * 60),
    st.integers(2, 2000),
    st.integers(1, 3600),
)
def test_no_answer_has_more_points_than_are_wanted(
    minutes: int, ago: int, points: int, interval: int
) -> None:
    until = NOW - timedelta(minutes=ago)
    asked = window(
        HistoryQuery(since=until - timedelta(minutes=minutes), until=until, points=points), NOW
    )
    kept = tiers(90)
    step = asked.step(interval, kept, NOW)
    begin, end = int(asked.since.timestamp()), int(asked.until.timestamp())
    assert (end - 1) // step - begin // step + 1 <= points
    tier = tier_for(step, kept)
    assert step % tier.step == 0
    assert step >= interval
    if begin >= NOW.timestamp() - kept[-1].age:
        assert begin >= NOW.timestamp() - tier.age


def test_a_sample_says_what_quota_says() -> None:
    nodes = (make_node("n1", 4, simulated=False),)
    sessions = (
        make_session("x", "1", "running", placement=make_placement(make_slice(0))),
        make_session("y", "0.5", "running", placement=make_placement(make_slice(1, 500))),
        make_session("z", "2", "waiting"),
    )
    uses = sum_up((make_project(quota="1"), make_project("team-b")), sessions, nodes, 1).projects
    readings = {nodes[0].devices[0].uuid: Reading(utilisation=80), "other": Reading(utilisation=9)}
    mine, other = sample(uses, sessions, nodes, readings, at=60, seconds=30)
    told = point(mine)
    assert (told.allocated, told.by_right, told.borrowed) == (1500, 1000, 500)
    assert (told.asked, told.waiting, told.peak) == (2000, 1, 1500)
    assert told.utilisation == 80
    assert (told.at, told.seconds) == (datetime.fromtimestamp(60, UTC), 30)
    assert (other.allocated, point(other).utilisation) == (0, None)


def test_what_was_never_measured_is_not_nought() -> None:
    known = Bucket(at=0, project="a", seconds=30, busy=30 * 50, measured=30)
    unknown = Bucket(at=30, project="a", seconds=30)
    assert point(known + unknown).utilisation == 50
    assert point(unknown).utilisation is None


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"hours": 0, "points": 1}, {"hours", "points"}),
        ({"points": 2001}, {"points"}),
        (
            {"since": NOW.replace(tzinfo=None), "until": NOW.replace(tzinfo=None)},
            {"since", "until"},
        ),
        ({"since": NOW, "until": NOW}, {"since"}),
        ({"since": datetime(1, 1, 1, tzinfo=UTC)}, {"since"}),
    ],
)
def test_a_time_that_cannot_be_is_refused(query: dict[str, Any], fields: set[str]) -> None:
    with pytest.raises(InvalidFields) as caught:
        window(HistoryQuery(**query), NOW)
    assert {problem.field for problem in caught.value.fields} == fields
