"""A controller that lives and does not answer: it is said soon, once for all, with what to do."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.errors import NoServer, OutcomeUnknown
from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.start import ensure_controller
from jupyter_gpuquota.hosting.status import status
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.server.gateway import Gateway
from jupyter_gpuquota.server.upstreams import OwnController
from tests.controller.launcher import Launcher
from tests.waiting import patience

pytestmark = pytest.mark.asyncio

ABOUT = b'{"version": "9", "api": 999}'
SOON = 0.2


@dataclass
class Silent:
    """A listener that reads and does not respond; `awake` ones respond to `about`."""

    path: Path
    awake: bool = False
    heard: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heard.append(head.split()[1].decode())
            if self.awake and b"/about" in head:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(ABOUT) + ABOUT)
            await reader.read()
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def silent(folder: Path, *, awake: bool = False) -> AsyncIterator[tuple[Silent, Gateway]]:
    peer = Silent(folder / "controller.sock", awake)
    server = await asyncio.start_unix_server(peer.serve, peer.path)
    upstream = OwnController(Location(folder), lambda location: location.socket, SOON)
    gateway = Gateway(upstream, SOON)
    try:
        yield peer, gateway
    finally:
        gateway.close()
        server.close()


def asking(gateway: Gateway, name: str, body: bytes = b"") -> asyncio.Future[object]:
    return asyncio.ensure_future(gateway.dispatch(ApiRequest(route=route(name), body=body)))


async def test_one_look_decides_for_all_who_wait_and_who_come_then(tmp_path):
    async with silent(tmp_path) as (peer, gateway):
        asked = [asking(gateway, "sessions.list") for _ in range(20)]
        await asyncio.wait(asked)
        for each in asked:
            with pytest.raises(
                NoServer, match=f"process {os.getpid()}.*does not respond"
            ) as caught:
                each.result()
            assert f"`kill -9 {os.getpid()}`" in caught.value.hint
        assert len([path for path in peer.heard if path.endswith("/about")]) == 1
        heard = len(peer.heard)
        with pytest.raises(NoServer, match="does not respond"):
            await asking(gateway, "sessions.list")
        assert len(peer.heard) == heard


async def test_a_sent_request_has_an_unknown_outcome(tmp_path):
    async with silent(tmp_path) as (_, gateway):
        with pytest.raises(OutcomeUnknown, match="may or may not have been carried out") as caught:
            await asking(gateway, "sessions.create", b"{}")
        assert "Check the list" in caught.value.hint
        with pytest.raises(NoServer, match="does not respond") as caught:  # it was not even sent
            await asking(gateway, "sessions.create", b"{}")
        assert "may or may not" not in caught.value.message


async def test_a_controller_that_identifies_itself_is_waited_for(tmp_path):
    async with silent(tmp_path, awake=True) as (peer, gateway):
        asked = asking(gateway, "changes.wait")
        while sum(path.endswith("/about") for path in peer.heard) < 3:
            assert not asked.done()
            await asyncio.sleep(0.01)
        asked.cancel()


async def test_a_stopped_controller_is_named_with_what_lets_it_go_on(tmp_path):
    launcher = Launcher(tmp_path / "state")
    process = launcher.start()
    launcher.answering()
    gateway = Gateway(OwnController(launcher.location, ensure_controller, SOON), SOON)
    try:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(NoServer, match="it was stopped by a signal") as caught:
            await asking(gateway, "sessions.list")
        assert caught.value.hint == f"Run `kill -CONT {process.pid}` to continue it."
        found = await asyncio.to_thread(status, launcher.location)
        assert f"kill -CONT {process.pid}" in found.problem
        process.send_signal(signal.SIGCONT)
        async with asyncio.timeout(patience()):
            while True:
                try:
                    answer = await gateway.dispatch(ApiRequest(route=route("sessions.list")))
                except NoServer:
                    await asyncio.sleep(0.1)
                else:
                    break
        assert answer.status == 200
    finally:
        gateway.close()
        await asyncio.to_thread(launcher.close)
