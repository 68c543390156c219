"""What is known of replacements once they are confirmed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.control.snapshots.journal import Journal, Record
from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreState
from jupyter_gpuquota.store.lake.connection import connect
from tests.builders import NOW

pytestmark = pytest.mark.asyncio


def record(name: str, hours: int, state: RestoreState = "replaced") -> Record:
    when = NOW + timedelta(hours=hours)
    shown = Restoration(
        id=name,
        snapshot=f"snapshot of {name}",
        owner="ana",
        state=state,
        folder="/new",
        place="/w",
        begun=when,
        updated=when,
    )
    return Record(shown=shown, tree=None)


async def test_of_confirmed_replacements_the_last_one_is_known(tmp_path: Path) -> None:
    own = connect(tmp_path.as_uri())
    journal = Journal(own)
    for number, name in enumerate(("first", "second")):
        await journal.put(record(name, number))
        await journal.confirm(record(name, number))
    await journal.put(record("undone", 5, "undone"))
    again = Journal(own)
    await again.read()
    assert [each.shown.id for each in again.replacements("/w")] == ["second"]
    assert [each.shown.id for each in again.all()] == ["undone"]
    with pytest.raises(NotFound):
        again.find("second")
    assert not again.replacements("/elsewhere")
