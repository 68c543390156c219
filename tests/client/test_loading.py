"""A controller that has just started is waited for, until it has read what is asked for."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.client.connection.context import Context
from jupyter_gpuquota.errors import NotLoaded
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotList
from tests.client.answering import Answering

NOT_YET = NotLoaded("The snapshots are being read from their lakes.")


class Impatient(Context):
    """A context that does not really pause."""

    def __init__(self, transport: Answering) -> None:
        super().__init__(lambda: transport)
        self.paused: list[float] = []

    def pause(self, seconds: float) -> None:
        """Note a pause."""
        self.paused.append(seconds)


def test_a_list_is_asked_for_again_until_it_is_loaded() -> None:
    server = Answering({"snapshots.list": [NOT_YET, NOT_YET, SnapshotList()]})
    context = Impatient(server)
    assert context.call("snapshots.list") == SnapshotList()
    assert context.paused == [NotLoaded.wait] * 2


def test_it_is_not_waited_for_for_ever() -> None:
    context = Impatient(Answering({"snapshots.list": NOT_YET}))
    with pytest.raises(NotLoaded):
        context.call("snapshots.list", timeout=0.0)
