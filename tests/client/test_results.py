"""Which snapshot of a session that was run again is compared."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.client.snapshots.snapshots import result_of
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from tests.builders import NOW


@pytest.mark.parametrize(
    ("newest_first", "result"),
    [
        (("finish", "code"), "code"),  # the program has given it the metrics
        (("finish", "schedule"), "finish"),
        (("code", "schedule", "code"), "code"),
        (("schedule",), None),
        ((), None),
    ],
)
def test_the_program_s_own_snapshot_is_the_result(newest_first, result):
    taken = [
        Snapshot(id=f"{n}", project="team-a", owner="ana", created=NOW, trigger=each)
        for n, each in enumerate(newest_first)
    ]
    found = result_of(taken)
    assert (found.trigger if found else None) == result
    if found:
        assert found.id == str(newest_first.index(result))  # the last one of its kind
