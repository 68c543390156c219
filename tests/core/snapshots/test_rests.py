"""Which resting sessions are owed a snapshot."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots import retention
from jupyter_gpuquota.core.snapshots.retention import Rests
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotRules
from tests.builders import NOW, make_session

HOUR = timedelta(hours=1)
BOTH = SnapshotRules(on_suspend=True, on_finish=True)
KNOWN = Rests(since=NOW - HOUR)
STARTED = NOW - timedelta(minutes=5)


def resting(state: str, **fields: object) -> Session:
    facts = {"id": "s1", "state": state, "since": NOW, "started": STARTED, "run": 2}
    return replace(make_session(), **{**facts, **fields})


def taken(at: object, **fields: object) -> Snapshot:
    facts = {"id": "1" * 64, "session": "s1", "project": "team-a", "owner": "ana", "created": at}
    return Snapshot(**{**facts, **fields})


@pytest.mark.parametrize(
    ("session", "rules", "trigger"),
    [
        (resting("suspended"), BOTH, "suspend"),
        (resting("suspended"), SnapshotRules(on_finish=True), None),
        (resting("done"), BOTH, "finish"),
        (resting("failed"), BOTH, "finish"),
        (resting("stopped"), BOTH, "finish"),
        (resting("stopped"), SnapshotRules(on_suspend=True), None),
        (resting("running"), BOTH, None),
        (resting("waiting"), BOTH, None),
        (resting("stopping"), BOTH, None),
        # A quick one was never seen to run; one that was taken out of the queue never has.
        (resting("done", started=None, exit=Exit(code=0, at=NOW)), BOTH, "finish"),
        (resting("stopped", started=None), BOTH, None),
        # It rested before the rule was switched on.
        (resting("done", since=NOW - 2 * HOUR), BOTH, None),
    ],
)
def test_the_rules_decide_by_what_a_session_is_now(
    session: Session, rules: SnapshotRules, trigger: str | None
) -> None:
    wanted = [(session, trigger)] if trigger else []
    assert retention.owed([session], [], rules, KNOWN) == wanted


@pytest.mark.parametrize(
    ("snapshot", "is_owed"),
    [
        (taken(NOW - HOUR / 2), True),
        (taken(NOW + HOUR / 2), False),
        (taken(NOW + HOUR / 2, state="making"), False),
        (taken(NOW + HOUR / 2, state="failed"), False),
        (taken(NOW + HOUR / 2, session="s2"), True),
    ],
)
def test_what_was_stored_since_it_rests_is_not_stored_again(
    snapshot: Snapshot, *, is_owed: bool
) -> None:
    assert bool(retention.owed([resting("done")], [snapshot], BOTH, KNOWN)) == is_owed


def test_each_run_is_stored_once_even_if_its_snapshot_was_removed() -> None:
    suspended = resting("suspended")
    known = retention.stored(Rests(since=KNOWN.since, runs={"gone": 1}), suspended, {"s1"})
    assert known.runs == {"s1": 2}
    assert retention.owed([suspended], [], BOTH, known) == []
    assert retention.owed([replace(suspended, state="stopped")], [], BOTH, known) == []
    again = resting("done", run=3)
    assert retention.owed([again], [], BOTH, known) == [(again, "finish")]


def test_a_rule_holds_from_when_it_was_switched_on() -> None:
    none, finish = SnapshotRules(), SnapshotRules(on_finish=True)
    assert retention.switched(KNOWN, none, finish, NOW).since == NOW
    assert retention.switched(KNOWN, finish, BOTH, NOW).since == NOW
    for before, after in ((finish, replace(finish, keep_last=3)), (BOTH, finish), (finish, none)):
        assert retention.switched(KNOWN, before, after, NOW) == KNOWN
    assert retention.owed([resting("done")], [], BOTH, Rests()) == []
