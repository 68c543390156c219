"""Reading the past does not block actions on sessions."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import run
from tests.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.asyncio


async def test_a_session_stops_while_the_past_is_read(backend: Backend) -> None:
    session = await run(backend)
    recorder = backend.resident.recorder
    go_on, begun = threading.Event(), threading.Event()

    def read_slowly() -> None:
        begun.set()
        go_on.wait(PATIENCE)

    busy = asyncio.ensure_future(recorder._run(read_slowly))
    await asyncio.to_thread(begun.wait, PATIENCE)
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
