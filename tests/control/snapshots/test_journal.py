"""What is known of restores after a restart."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.journal import Journal, Record, Restores
from jupyter_gpuquota.kubernetes.snapshots.restores import ClaimRestore
from jupyter_gpuquota.model.snapshots.restore import Restoration
from jupyter_gpuquota.store.lake.connection import connect
from tests.builders import NOW, UNREADABLE
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

SHOWN = Restoration(
    id="r1", snapshot="5a", owner="ana", state="done", folder="/f", begun=NOW, updated=NOW
)


@pytest.mark.parametrize("body", [*UNREADABLE, b'{"shown": {"id": "r2", "sta'], ids=range(6))
@pytest.mark.parametrize(
    "record", [Record(shown=SHOWN, tree=None), ClaimRestore(shown=SHOWN, wanted=())]
)
async def test_a_record_that_cannot_be_read_is_passed_over_and_named(
    record: Record | ClaimRestore, body: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = connect(tmp_path.as_uri())
    await Journal(own, "restores/", type(record)).put(record)
    await own.put("restores/cut.json", body)
    again = Journal(own, "restores/", type(record))
    with caplog.at_level(logging.WARNING):
        await again.read()
    assert again.all() == (record,)
    assert "restores/cut.json" in caplog.text
    await again.drop("r1")
    assert again.all() == ()
    await again.read()
    assert again.all() == ()


async def test_one_that_is_dropped_leaves_the_others(tmp_path: Path) -> None:
    journal = Journal(connect(tmp_path.as_uri()), "restores/", Record)
    first, second = (Record(shown=replace(SHOWN, id=each), tree=None) for each in ("r1", "r2"))
    for each in (first, second):
        await journal.put(each)
    await journal.drop("r1")
    assert journal.all() == (second,)


class Broken(Restores[Record]):
    """Restores whose steps fail in a way that nobody has thought of."""

    async def _step(self, record: Record, *, again: bool) -> Record:
        raise LookupError(record.shown.id)


async def test_a_restore_ends_also_where_its_step_has_a_fault(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = connect(tmp_path.as_uri())
    begun = replace(SHOWN, state="fetching", begun=datetime.now(UTC), updated=datetime.now(UTC))
    await Journal(own, "restores/", Record).put(Record(shown=begun, tree=None))
    restores = Broken(Journal(own, "restores/", Record), lambda: None)
    await restores.load()
    with caplog.at_level(logging.ERROR):
        await restores.resume()
        await wait_for(lambda: not restores.all()[0].active)
    (shown,) = restores.all()
    assert (shown.state, shown.problem and shown.problem.code) == ("failed", "Internal")
    assert "a restore has failed" in caplog.text
    await restores.close()
