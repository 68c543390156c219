"""Which snapshots rules remove, and when the next one is due."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots import retention
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.snapshots.snapshots import (
    Snapshot,
    SnapshotPin,
    SnapshotRules,
    SnapshotRulesRequest,
)
from tests.builders import NOW, make_session


def made(number: int, at: datetime, **fields: object) -> Snapshot:
    facts = {"id": f"{number:064}", "session": "s1", "project": "team-a", "owner": "ana"}
    return Snapshot(**{**facts, "created": at, **fields})


DAILY = [made(number, NOW - timedelta(days=number)) for number in range(10)]


def test_without_rules_all_stay() -> None:
    assert retention.removable(DAILY, SnapshotRules()) == []


def test_the_last_of_each_session_stay() -> None:
    other = made(99, NOW - timedelta(days=99), session="s2")
    gone = retention.removable([*DAILY, other], SnapshotRules(keep_last=3))
    assert gone == DAILY[:2:-1]


def test_one_a_day_stays() -> None:
    hours = [made(100 + hour, NOW - timedelta(minutes=hour + 1)) for hour in range(5)]
    gone = retention.removable([*DAILY, *hours], SnapshotRules(daily=4))
    assert {each.id for each in DAILY[:4]}.isdisjoint(each.id for each in gone)
    assert {each.id for each in hours} <= {each.id for each in gone}


def test_tags_pins_and_what_is_being_made_stay() -> None:
    kept = [
        made(1, NOW - timedelta(days=50), tags=("best",)),
        made(2, NOW - timedelta(days=51), pin=SnapshotPin(since=NOW)),
        made(3, NOW - timedelta(days=52), state="making"),
    ]
    assert retention.removable([*kept, DAILY[0]], SnapshotRules(keep_last=1)) == []


def test_a_running_session_is_due_some_time_after_its_last_snapshot() -> None:
    session = replace(make_session(), id="s1", state="running", started=NOW - timedelta(hours=5))
    assert retention.due([session], [DAILY[1]], 3600, NOW) == [session]
    assert retention.due([session], [DAILY[0]], 3600, NOW) == []
    assert retention.due([session], [], 0, NOW) == []


def test_all_wrong_rules_are_named() -> None:
    with pytest.raises(InvalidFields) as caught:
        retention.checked(SnapshotRulesRequest(keep_last=-1, every=5))
    assert [each.field for each in caught.value.fields] == ["keep_last", "every"]
