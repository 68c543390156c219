"""From the start of a backend to its end, in the controller's main loop."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from typing import Any

import pytest
from tornado.httpserver import HTTPServer
from tornado.web import Application

from jupyter_gpuquota.controller.main import serve
from jupyter_gpuquota.errors import Unavailable
from tests.fakes import make_backend
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


class Waiting:
    """A resident that starts when it is told to, and ends for a reason that it is told."""

    def __init__(self) -> None:
        self.may_start = asyncio.Event()
        self.reason = ""
        self.did: list[str] = []

    async def start(self) -> None:
        self.did.append("start")
        await self.may_start.wait()
        self.did.append("started")

    async def close(self) -> None:
        self.did.append("close")

    def idle(self) -> bool:
        return False

    def ended(self) -> str:
        return self.reason


def serving(resident: Waiting) -> asyncio.Task[None]:
    def mount(*_: Any) -> HTTPServer:
        resident.did.append("listen")
        return HTTPServer(Application([]))

    backend = replace(make_backend(), resident=resident)
    return asyncio.create_task(serve(backend, mount, lambda _: True, 600.0))


async def test_who_waits_does_not_listen_and_exits_when_asked() -> None:
    resident = Waiting()
    task = serving(resident)
    await wait_for(lambda: resident.did)
    os.kill(os.getpid(), signal.SIGTERM)
    await task
    assert resident.did == ["start", "close"]


async def test_who_may_not_go_on_exits_with_the_reason() -> None:
    resident = Waiting()
    resident.may_start.set()
    task = serving(resident)
    await wait_for(lambda: "listen" in resident.did)
    resident.reason = "Another controller has taken over."
    with pytest.raises(Unavailable, match="Another controller has taken over"):
        await task
    assert resident.did == ["start", "started", "listen", "close"]


async def test_what_fails_to_start_says_why() -> None:
    class Failing(Waiting):
        async def start(self) -> None:
            raise Unavailable("The cluster does not answer.")

    with pytest.raises(Unavailable, match="does not answer"):
        await serving(Failing())
