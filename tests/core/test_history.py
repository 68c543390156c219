"""Samples of use, and how many become few."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.access import Caller, rights_of
from jupyter_gpuquota.core.usage.buckets import Bucket, coarsen, point
from jupyter_gpuquota.core.usage.history import (
    DAY,
    Recorded,
    VisibleUsers,
    Window,
    summarize,
    tier_for,
    tier_of_sums,
    tiers,
    visible_users,
    window_of,
)
from jupyter_gpuquota.core.usage.quota import sum_up
from jupyter_gpuquota.core.usage.sampling import sample
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.nodes import Reading
from jupyter_gpuquota.model.sessions import Session
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
        user=draw(st.sampled_from(["", "ana", "ben"])),
        seconds=30,
        allocated=borrowed + more,
        borrowed=borrowed,
        asked=draw(AMOUNTS),
        busy=draw(st.integers(0, 3000)),
        measured=30,
        peak=draw(AMOUNTS),
        waiting=draw(st.integers(0, 50)),
    )


def of(found: Iterable[Bucket], who: tuple[str, str]) -> list[Bucket]:
    return [bucket for bucket in found if (bucket.project, bucket.user) == who]


def total(found: Iterable[Bucket], field: str) -> int:
    return sum(getattr(bucket, field) for bucket in found)


@given(st.lists(buckets(), max_size=30), st.sampled_from([30, 300, 3600, DAY]))
def test_coarser_buckets_keep_every_sum_and_the_peaks(many: list[Bucket], step: int) -> None:
    few = coarsen(many, step)
    for who in product("abc", ("", "ana", "ben")):
        mine, theirs = of(few, who), of(many, who)
        assert all(total(mine, field) == total(theirs, field) for field in SUMS)
        assert max((b.peak for b in mine), default=0) == max((b.peak for b in theirs), default=0)
    assert all(bucket.at % step == 0 for bucket in few)
    keys = {(bucket.at, bucket.project, bucket.user) for bucket in few}
    assert len(keys) == len(few) <= len(many)


@given(st.lists(buckets(), max_size=30))
def test_coarsening_twice_is_coarsening_once(many: list[Bucket]) -> None:
    assert coarsen(coarsen(many, 300), 3600) == coarsen(many, 3600)
    assert coarsen(many[::-1], 3600) == coarsen(many, 3600)


@given(buckets())
def test_a_mean_is_made_of_what_is_by_right_and_what_is_borrowed(bucket: Bucket) -> None:
    told = point(bucket)
    assert told.in_quota + told.borrowed == told.allocated
    assert min(told.in_quota, told.borrowed, told.requested) >= 0
    assert told.allocated * bucket.seconds == pytest.approx(bucket.allocated, abs=bucket.seconds)


@pytest.mark.parametrize("field", ["since", "until"])
@pytest.mark.parametrize("text", ["0001-01-01T00:00:00-23:59", "9999-12-31T23:59:59+00:00"])
def test_a_time_that_no_computer_counts_is_refused(field: str, text: str) -> None:
    query = HistoryQuery(**{field: datetime.fromisoformat(text)})
    with pytest.raises(InvalidFields) as caught:
        window_of(query, NOW)
    assert [problem.field for problem in caught.value.fields] == [field]


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
    asked = window_of(
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
    uses = sum_up((make_project(quota="1"), make_project("team-b")), sessions, nodes).projects
    readings = {nodes[0].devices[0].uuid: Reading(utilisation=80), "other": Reading(utilisation=9)}
    mine, me, other = sample(uses, sessions, nodes, readings, at=60, seconds=30)
    told = point(mine)
    assert (told.allocated, told.in_quota, told.borrowed) == (1500, 1000, 500)
    assert (told.requested, told.waiting, told.peak) == (2000, 1, 1500)
    assert told.utilisation == 80
    assert (told.at, told.seconds) == (datetime.fromtimestamp(60, UTC), 30)
    assert me == replace(mine, user="me")  # alone in the project, so it is all of it
    assert (other.allocated, point(other).utilisation) == (0, None)


@st.composite
def busy_projects(draw: st.DrawFn) -> list[Session]:
    """Return sessions of several users of two projects, running and queued."""
    found = []
    for i in range(draw(st.integers(0, 8))):
        held = draw(st.sampled_from([0, 250, 500, 1000]))
        session = make_session(
            f"s{i}",
            "1",
            "running" if held else "waiting",
            placement=make_placement(make_slice(i, held)) if held else None,
            owner=draw(st.sampled_from(["", "ana", "ben", "cho"])),
            project=draw(st.sampled_from(["team-a", "team-b"])),
            kind=draw(st.sampled_from(["interactive", "train"])),
            age=i,
        )
        found.append(session)
    return found


@given(busy_projects(), st.sampled_from(["0", "1", "4"]))
def test_the_users_of_a_project_add_up_to_it(sessions: list[Session], quota: str) -> None:
    nodes = (make_node(),)
    teams = (make_project("team-a", quota), make_project("team-b", quota))
    uses = sum_up(teams, sessions, nodes).projects
    found = sample(uses, sessions, nodes, {}, at=0, seconds=30)
    for whole in (b for b in found if not b.user):
        users = [b for b in found if b.user and b.project == whole.project]
        nameless = any(not s.owner and s.spec.project == whole.project for s in sessions)
        for field in ("allocated", "borrowed", "asked", "waiting", "peak"):
            added = total(users, field)
            assert added <= getattr(whole, field)
            assert nameless or added == getattr(whole, field)
        assert all(b.borrowed <= b.allocated and b.seconds == whole.seconds for b in users)


def test_who_would_be_reclaimed_first_is_who_borrows() -> None:
    nodes = (make_node("n1", 4),)
    spots = [
        ("old", "ana", "train", 60),
        ("new", "ben", "train", 10),
        ("fixed", "cho", "interactive", 1),
    ]
    sessions = [
        make_session(
            name,
            "1",
            "running",
            placement=make_placement(make_slice(i)),
            owner=owner,
            kind=kind,
            age=age,
        )
        for i, (name, owner, kind, age) in enumerate(spots)
    ]
    uses = sum_up((make_project(quota="1.5"),), sessions, nodes).projects
    found = sample(uses, sessions, nodes, {}, at=0, seconds=1)
    assert {b.user: b.borrowed for b in found} == {"": 1500, "ana": 500, "ben": 1000, "cho": 0}


def test_the_peak_of_a_project_is_not_the_sum_of_its_users_peaks() -> None:
    at_times = (("ana", 0), ("ben", 30))
    many = [
        Bucket(at=at, project="a", user=user, seconds=30, allocated=30_000, peak=1000)
        for name, at in at_times
        for user in ("", name)
    ]
    asked = Window(NOW, NOW + timedelta(hours=1), 2)
    (whole,) = summarize(Recorded(60, many, many), asked, ()).points
    assert (whole.user, whole.allocated, whole.peak, whole.seconds) == ("", 1000, 1000, 60)
    users = summarize(Recorded(60, many, many), replace(asked, by="user"), ()).points
    assert [(p.user, p.allocated, p.peak, p.seconds) for p in users] == [
        ("ana", 500, 1000, 60),  # held it for half of the time in which the project was sampled
        ("ben", 500, 1000, 60),
    ]


def test_users_are_told_to_members_and_to_themselves() -> None:
    many = [
        Bucket(at=0, project=project, user=user, seconds=3600, allocated=milli * 3600)
        for project in ("open", "shut")
        for user, milli in (("", 3000), ("ana", 2000), ("ben", 1000))
    ]
    teams = (make_project("open"), make_project("shut", members=("cho",)))

    def sight(who: str) -> VisibleUsers | None:
        return visible_users(rights_of(Caller(who), teams, admin=False))

    asked = Window(NOW, NOW + timedelta(hours=1), 2, by="user", visible=sight("ben"))
    told = summarize(Recorded(3600, many, many), asked, ())
    assert [(p.project, p.user) for p in told.points] == [
        ("open", "ana"),
        ("open", "ben"),
        ("shut", "ben"),
    ]
    assert [(u.project, u.user, u.allocated) for u in told.users] == [
        ("open", "ana", 2000),
        ("open", "ben", 1000),
        ("shut", "ben", 1000),
        ("shut", "", 2000),
    ]
    assert "do not belong to are not named" in told.note
    assert (
        summarize(Recorded(3600, many, many), replace(asked, user="ana", project="shut"), ()).users
        == ()
    )
    cho = replace(asked, visible=sight("cho"))
    for wide in (cho, replace(asked, visible=None)):
        told = summarize(Recorded(3600, many, many), wide, ())
        assert len(told.points) == len(told.users) == 4
        assert "not named" not in told.note
    assert visible_users(rights_of(Caller("ben"), teams, admin=True)) is None
    gone = replace(asked, visible=VisibleUsers("cho", frozenset()))
    assert summarize(Recorded(3600, many, many), gone, ()).points == ()


@given(
    st.integers(1, 90 * 24),
    st.integers(0, 90 * 24),
    st.integers(1, 90),
)
def test_a_time_is_summed_up_from_what_is_kept_of_it(hours: int, ago: int, days: int) -> None:
    until = NOW - timedelta(hours=ago)
    asked = Window(until - timedelta(hours=hours), until, 2)
    kept = tiers(days)
    tier = tier_of_sums(asked, kept, NOW)
    reaches = NOW - asked.since <= timedelta(seconds=tier.age)
    assert reaches or tier == kept[-1]
    assert 100 * tier.step <= hours * 3600 or all(
        finer.step >= tier.step or NOW - asked.since > timedelta(seconds=finer.age)
        for finer in kept
    )


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
        window_of(HistoryQuery(**query), NOW)
    assert {problem.field for problem in caught.value.fields} == fields
