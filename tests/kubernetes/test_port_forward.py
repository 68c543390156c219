"""Unix sockets lead to ports of pods, with back-pressure and for this account only."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.ingress.forwards import Forwards
from jupyter_gpuquota.kubernetes.session_pods import pod_path
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.session_pod import make_pod, make_running
from tests.kubernetes.sockets import FakeSocket, Opened
from tests.waiting import patience, wait_for

PORT = 8888
PREFACE = (b"\x00\xb8\x22", b"\x01\xb8\x22")
SESSION = make_running()


async def echo(socket: FakeSocket) -> None:
    await socket.say(*PREFACE)
    while True:
        await socket.say(await socket.sent.get())


async def refuse(socket: FakeSocket) -> None:
    await socket.say(*PREFACE, b"\x01connection refused")
    await socket.end()


class Lab:
    """Forwards to a pod whose port is served by a function."""

    def __init__(self, folder: Path, serve, most: int = 4) -> None:
        self.pods = {SESSION.id: make_pod(SESSION)}
        self.opened = Opened(serve)
        self.api = FakeApi()
        self.api.controls.sockets[pod_path(self.pods[SESSION.id], "portforward")] = self.opened
        self.forwards = Forwards(self.api, folder, lambda s: self.pods.get(s.id), most)

        self.writers: list[asyncio.StreamWriter] = []

    async def connect(self, run: int = 1):
        path = self.forwards.open(make_running(run), PORT)
        reader, writer = await asyncio.open_unix_connection(path)
        self.writers.append(writer)
        return reader, writer

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.forwards.close()
        for writer in self.writers:
            writer.close()
            await writer.wait_closed()
        for task in self.opened.tasks:
            task.cancel()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ports"


async def test_data_passes_both_ways_in_order(folder):
    async with Lab(folder, echo) as lab:
        reader, writer = await lab.connect()
        data = bytes(range(256)) * 4096
        sending = asyncio.ensure_future(send(writer, data))
        assert await asyncio.wait_for(reader.readexactly(len(data)), 10) == data
        await sending
        assert lab.opened.queries == [[("ports", str(PORT))]]
        writer.close()
        await wait_for(lab.opened.sockets[0].closed.is_set)


async def test_what_comes_with_the_preface_is_data(folder):
    async def fused(socket: FakeSocket) -> None:
        await socket.say(b"\x00\xb8\x22first", b"\x01\xb8", b"\x01\x22", b"\x00second")
        await socket.end()

    async with Lab(folder, fused) as lab:
        reader, _ = await lab.connect()
        assert await reader.read() == b"firstsecond"


async def test_one_session_leaves_the_sockets_of_another(folder):
    async with Lab(folder, echo) as lab:
        other = replace(make_running(2), id="another")
        lab.pods[other.id] = lab.pods[SESSION.id]
        theirs = lab.forwards.open(other, PORT)
        mine = lab.forwards.open(SESSION, PORT)
        assert theirs.exists()
        assert mine.exists()


async def test_a_reader_that_does_not_read_stops_the_pod(folder):
    told = 0

    async def flood(socket: FakeSocket) -> None:
        nonlocal told
        await socket.say(*PREFACE)
        while True:
            await socket.say(b"\x00" + bytes(65536))
            told += 1

    async with Lab(folder, flood) as lab:
        reader, _ = await lab.connect()
        before = -1
        async with asyncio.timeout(patience()):
            while told != before:
                before = told
                await asyncio.sleep(0.2)
        assert before < 100
        await reader.readexactly(65536 * 50)
        await wait_for(lambda: told > before)


async def test_a_port_without_listener_closes_the_connection(folder, caplog):
    caplog.set_level("INFO")
    async with Lab(folder, refuse) as lab:
        reader, _ = await lab.connect()
        assert await reader.read() == b""
        await wait_for(lambda: "connection refused" in caplog.text)


async def test_a_refusal_of_the_api_server_closes_the_connection(folder):
    async with Lab(folder, echo) as lab:
        lab.api.fail(Fault(403, "Forbidden", "no"), verb="websocket")
        reader, _ = await lab.connect()
        assert await reader.read() == b""


async def test_connections_are_bounded_and_wait(folder):
    async with Lab(folder, echo, most=1) as lab:
        reader, writer = await lab.connect()
        writer.write(b"a")
        assert await reader.readexactly(1) == b"a"
        waiting, second = await lab.connect()
        second.write(b"b")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting.readexactly(1), 0.2)
        writer.close()
        assert await asyncio.wait_for(waiting.readexactly(1), 5) == b"b"


async def test_only_this_account_may_connect(folder):
    async with Lab(folder, echo) as lab:
        path = lab.forwards.open(SESSION, PORT)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


async def test_another_run_has_another_socket_and_ends_the_first(folder):
    async with Lab(folder, echo) as lab:
        first = lab.forwards.open(SESSION, PORT)
        assert lab.forwards.open(SESSION, PORT) == first
        reader, _ = await lab.connect()
        second = lab.forwards.open(make_running(2), PORT)
        assert second != first
        assert not first.exists()
        assert await reader.read() == b""
        lab.pods.clear()
        reader, _ = await lab.connect(run=2)
        assert await reader.read() == b""


async def test_a_socket_that_was_left_is_replaced(folder):
    first = Lab(folder, echo)
    path = first.forwards.open(SESSION, PORT)
    path.rename(folder / "aside")
    await first.forwards.close()
    (folder / "aside").rename(path)
    async with Lab(folder, echo) as lab:
        reader, writer = await lab.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"


async def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    async with Lab(tmp_path / "file" / "ports", echo) as lab:
        with pytest.raises(Unavailable, match="No port-forward"):
            lab.forwards.open(SESSION, PORT)


async def send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def test_a_socket_that_was_removed_is_opened_again(folder):
    async with Lab(folder, echo) as lab:
        path = lab.forwards.open(SESSION, PORT)
        path.unlink()
        folder.rmdir()
        reader, writer = await lab.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"


async def test_connections_are_accepted_again_when_descriptors_are_free(folder, monkeypatch):
    loop, failures = asyncio.get_running_loop(), [OSError(24, "Too many open files")]
    accept = loop.sock_accept

    async def failing(listener):
        if failures:
            raise failures.pop()
        return await accept(listener)

    monkeypatch.setattr(loop, "sock_accept", failing)
    async with Lab(folder, echo, most=1) as lab:
        reader, writer = await lab.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"


async def test_a_connection_ends_with_its_pod(tmp_path):
    async with Lab(tmp_path, echo) as lab:
        reader, writer = await lab.connect()
        writer.write(b"hi")
        assert await reader.readexactly(2) == b"hi"
        lab.pods.clear()
        async with asyncio.timeout(patience()):
            assert await reader.read() == b""
