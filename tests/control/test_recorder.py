"""Reading the past does not block actions on sessions."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.recorder import Recorder
from jupyter_gpuquota.core.idle.decide import Reading
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import run
from tests.fakes import ask
from tests.waiting import patience, wait_for

pytestmark = pytest.mark.asyncio


async def test_a_session_stops_while_the_past_is_read(backend: Backend) -> None:
    session = await run(backend)
    recorder = backend.resident.recorder
    go_on, begun = threading.Event(), threading.Event()

    def read_slowly() -> None:
        begun.set()
        go_on.wait(patience())

    busy = asyncio.ensure_future(recorder._run(read_slowly))
    await asyncio.to_thread(begun.wait, patience())
    asked = asyncio.ensure_future(backend.policing.recorded(datetime.now(UTC)))
    assert (await backend.sessions.stop(session.id)).state == "stopped"
    assert not asked.done()
    go_on.set()
    await busy
    assert await asked == []


async def test_a_fault_in_recording_is_a_warning_and_not_the_end(backend: Backend) -> None:
    recorder = backend.resident.recorder
    recorder._history.due = lambda now: 1 / 0
    await wait_for(lambda: any("not recorded" in text for text in backend.changes.warnings()))
    assert not recorder._sampling.done()


async def test_utilisation_is_published_and_known_to_the_next_controller(
    backend: Backend, tmp_path: Path
) -> None:
    session = await run(backend)
    board = Board()
    for percent in (20, 80):
        clock = Clock(ahead=timedelta(seconds=percent))
        recorder = Recorder(GpuQuota(), board, clock, tmp_path / "history.sqlite")
        await recorder.note((), {session.id: [Reading("gpu", "busy", percent=percent)]})
        await recorder.close()
    assert board.utilisation.by_session == {session.id: (20, 80)}
    assert board.revision("utilisation") != "1"


async def test_utilisation_is_shown_to_those_who_see_the_session(backend: Backend) -> None:
    session = await run(backend, owner="owner", project="team-c")
    backend.resident.board.utilisation.show({session.id: (20, 80), "elsewhere": (1,)})
    found = await ask(backend, "nodes.utilisation", "viewer")
    assert [(each.session, each.percents) for each in found.items] == [(session.id, (20, 80))]
    assert found.interval == 30
    assert (await ask(backend, "nodes.utilisation", "outsider")).items == ()
