"""Which callers see how GPUs were used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.model.history import History, HistoryQuery
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import ask, make_backend, remember

pytestmark = pytest.mark.asyncio


@pytest.fixture
def backend() -> Backend:
    """Remember two users of each of two projects; one of the projects is for its member only."""
    teams = ({"name": "shut", "quota": 1, "members": ["cho"]}, {"name": "open", "quota": 1})
    made = make_backend(teams, admins=("ana",))
    at = int((datetime.now(UTC) - timedelta(hours=3)).timestamp()) // 3600 * 3600
    past = [
        Bucket(at=at, project=project, user=user, seconds=3600, allocated=milli * 3600, peak=milli)
        for project in ("shut", "open")
        for user, milli in (("", 3000), ("ben", 1000), ("cho", 2000))
    ]
    remember(made, past)
    return made


async def used(backend: Backend, who: str, **query: Any) -> History:
    return await ask(backend, "history.get", who, query=HistoryQuery(points=20, **query))


def names(told: History, project: str) -> set[str]:
    by_point = {p.user for p in told.points if p.project == project}
    assert by_point <= {u.user for u in told.users if u.project == project} | {""}
    return by_point


@pytest.mark.parametrize(
    ("who", "shut"),
    [("ana", {"ben", "cho"}), ("cho", {"ben", "cho"}), ("ben", {"ben"}), ("eve", set())],
)
async def test_users_are_named_to_admins_members_and_themselves(
    backend: Backend, who: str, shut: set[str]
) -> None:
    told = await used(backend, who, by="user")
    assert names(told, "shut") == shut
    assert names(told, "open") == {"ben", "cho"}
    assert {u.user for u in told.users if u.project == "shut"} - {""} == shut
    totals = dict.fromkeys(("shut", "open"), 0)
    for user in told.users:
        totals[user.project] += user.allocated
    assert totals == {"shut": 3000, "open": 3000}


async def test_asking_for_somebody_by_name_tells_no_more(backend: Backend) -> None:
    told = await used(backend, "eve", user="cho", project="shut")
    assert (told.points, told.users) == ((), ())
    told = await used(backend, "eve", user="cho")
    assert [(u.project, u.user) for u in told.users] == [("open", "cho")]
    assert told.by == "user"


async def test_everyone_sees_what_projects_use_as_in_the_quota(backend: Backend) -> None:
    quota = await ask(backend, "quota.get", "eve")
    told = await used(backend, "eve")
    assert {p.project for p in told.points} == {use.name for use in quota.projects}
    assert {p.user for p in told.points} == {""}
    assert [p.allocated for p in told.points if p.peak] == [3000, 3000]
