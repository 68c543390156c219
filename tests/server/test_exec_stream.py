"""A program's output, line by line through handlers and gateway, ended by hanging up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from jupyter_gpuquota.errors import Unavailable, WrongState
from jupyter_gpuquota.model.programs import ExecEvent, ExecRequest, ExecResult
from tests.fakes import FakeExec
from tests.server.test_gateway import BODY, ask, controller_in
from tests.waiting import patience

EXEC = b'{"command": ["train"]}'

pytestmark = pytest.mark.asyncio


class Printing(FakeExec):
    """Programs that print what a test puts into `prints`; None ends them."""

    def __init__(self, inner: FakeExec) -> None:
        super().__init__(inner.board)
        self.prints: asyncio.Queue[str | None] = asyncio.Queue()
        self.closed = asyncio.Event()
        self.failing = False

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        await self.context(session_id)  # raises where it does not run
        try:
            yield ExecEvent()
            while (text := await self.prints.get()) is not None:
                yield ExecEvent(output=text)
            if self.failing:
                raise Unavailable("The node is gone.")
            yield ExecEvent(result=ExecResult(exit_code=0, output=""))
        finally:
            self.closed.set()


async def begin(controller, gateway):
    printing = Printing(controller.backend.exec)
    controller.backend = replace(controller.backend, exec=printing)
    session = json.loads((await ask(gateway, "sessions.create", BODY)).body)["id"]
    return session, await ask(gateway, "sessions.exec_stream", EXEC, args={"id": session})


async def test_each_line_passes_at_once(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        _, answer = await begin(controller, gateway)
        printed = []
        async for line in answer.lines:
            event = json.loads(line)
            printed.append(event["output"])
            # It goes on only when the line before has come through.
            controller.backend.exec.prints.put_nowait(
                f"{len(printed)}" if len(printed) < 4 else None
            )
        assert printed == ["", "1", "2", "3", ""]
        assert event["result"]["exit_code"] == 0


async def test_whoever_hangs_up_ends_the_program(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        _, answer = await begin(controller, gateway)
        await anext(answer.lines)
        await answer.lines.aclose()
        await asyncio.wait_for(controller.backend.exec.closed.wait(), patience())


async def test_what_is_wrong_from_the_start_is_an_error_with_its_status(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        session, answer = await begin(controller, gateway)
        await answer.lines.aclose()
        await ask(gateway, "sessions.stop", args={"id": session})
        answer = await ask(gateway, "sessions.exec_stream", EXEC, args={"id": session})
        assert answer.lines is None
        assert (answer.status, json.loads(answer.body)["code"]) == (409, WrongState.code)


async def test_what_goes_wrong_later_is_the_last_line(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        _, answer = await begin(controller, gateway)
        controller.backend.exec.failing = True
        controller.backend.exec.prints.put_nowait(None)
        lines = [json.loads(line) async for line in answer.lines]
        assert lines[-1]["problem"]["message"] == "The node is gone."


async def test_a_controller_that_ends_meanwhile_is_told_of(tmp_path):
    async with controller_in(tmp_path) as (controller, gateway):
        _, answer = await begin(controller, gateway)
        await anext(answer.lines)
        await controller.die()
        with pytest.raises(Unavailable, match="exited during this request"):
            await anext(answer.lines)
        await asyncio.wait_for(controller.backend.exec.closed.wait(), patience())
