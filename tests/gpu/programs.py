"""Programs of sessions that work on a GPU, and what they print."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.local.gpus.programs import in_container
from jupyter_gpuquota.model.nodes import GpuProgram
from jupyter_gpuquota.model.sessions import ENDED, LogQuery, Session
from jupyter_gpuquota.ports.backend import Backend
from tests.waiting import wait_for

WORK = Path(__file__).with_name("work.py")

with_pids = pytest.mark.skipif(
    in_container(), reason="In a container some drivers report process ids of the machine."
)


def work(*steps: str) -> tuple[str, ...]:
    """Return the command line of a program that does these steps."""
    return (sys.executable, str(WORK), *steps)


async def log_of(backend: Backend, session: Session) -> str:
    return (await backend.logs.read(session.id, LogQuery())).text


async def answer(backend: Backend, session: Session, step: str) -> Any:
    """Wait until the program of a session has done a step, and return its answer."""

    async def printed() -> list[Any]:
        state = next(s.state for s in backend.sessions.all() if s.id == session.id)
        text = await log_of(backend, session)
        lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        found = [line[step] for line in lines if step in line]
        assert found or state not in ENDED, f"{session.spec.name} has ended: {text}"
        return found

    return (await wait_for(printed))[-1]


async def program(backend: Backend, uuid: str, session: str, least: int) -> GpuProgram:
    """Wait until a program of a session, or outside sessions, holds so many MiB of a GPU."""

    def found() -> GpuProgram | None:
        reading = backend.inventory.readings().get(uuid)
        return next(
            (
                each
                for each in (reading.programs if reading else ())
                if each.session == session and (each.memory or 0) >= least
            ),
            None,
        )

    return await wait_for(found)


async def activity(backend: Backend, session: Session, state: str) -> str:
    """Wait until the signal `gpu` of a session has a state, and return its detail."""

    async def found() -> str:
        signals = (await backend.policing.activity(session.id)).signals
        states = {each.state: each.detail for each in signals if each.name == "gpu"}
        return states.get(state, "")

    return await wait_for(found)
