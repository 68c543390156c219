"""When queued sessions should start is kept current, whatever the board shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
import pytest_asyncio

from jupyter_gpuquota.control.assembly import OwnPlanning, StartTimes
from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.control.settings.settings import Settings
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_node, make_placement, make_project, make_session, make_slice
from tests.waiting import patience

pytestmark = pytest.mark.asyncio


class Machine:
    """A board with one GPU, and what keeps its start times."""

    def __init__(self) -> None:
        self.board = Board()
        node = make_node(gpus=1)
        settings = msgspec.structs.replace(Settings(), projects=(make_project(quota="1"),))
        self.board.show_settings(settings)
        self.board.show_inventory(Inventory(nodes=(node,)), (node,))
        self.times = StartTimes(self.board)

    def show(self, *sessions: Session) -> None:
        self.board.show(*sessions)
        self.times.follow(self.board.sessions)

    async def come(self, wanted: Mapping[str, datetime]) -> None:
        """Wait until exactly these start times are shown."""
        planning = OwnPlanning(self.board)
        async with asyncio.timeout(patience()):
            while planning.starts() != wanted:
                await self.board.changed(str(self.board.latest), 1.0)


@pytest_asyncio.fixture
async def machine() -> AsyncIterator[Machine]:
    machine = Machine()
    await machine.times.start()
    yield machine
    await machine.times.close()


def running(minutes: int) -> Session:
    """Return a session that has the GPU for so many more minutes."""
    session = make_session("first", "1", "running", placement=make_placement(make_slice()))
    return msgspec.structs.replace(session, ends=soon(minutes))


def soon(minutes: int) -> datetime:
    start = datetime.now(UTC).replace(microsecond=0)
    return start + timedelta(minutes=minutes)


async def test_all_that_are_queued_are_told_what_run_times_tell(machine):
    first, second, third = running(60), make_session("second", "1"), make_session("third", "1")
    machine.show(first, second, third)
    await machine.come({second.id: first.ends})


async def test_a_change_is_followed(machine):
    first, second = running(60), make_session("second", "1")
    machine.show(first, second)
    await machine.come({second.id: first.ends})
    longer = msgspec.structs.replace(first, ends=soon(120))
    machine.show(longer)
    await machine.come({second.id: longer.ends})
    machine.show(msgspec.structs.replace(longer, ends=None))
    await machine.come({})


async def test_a_bug_does_not_end_it(machine, caplog):
    first, second = running(60), make_session("second", "1")
    machine.show(first, msgspec.structs.replace(second, spec=None))
    await asyncio.sleep(0)  # it is played with a session that cannot be
    machine.show(second)
    await machine.come({second.id: first.ends})
    assert "playing ahead" in caplog.text
