"""Bodies that are large, slow, cut off or answered early, over bare connections."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient

from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.server.ingress.response import LARGE
from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.upstream import MIB
from tests.waiting import patience

Program = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BLOCK = bytes(range(256)) * 4096


@asynccontextmanager
async def listening(
    site: Site, program: Program, *, tls: ssl.SSLContext | None = None, ca: str = ""
) -> AsyncIterator[None]:
    """Run a program on the session's exposed port."""
    running: set[asyncio.Task[None]] = set()

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.add(asyncio.current_task())
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await program(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(run, "127.0.0.1", 0, limit=2 * MIB, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    site.backend.ingress.endpoints[site.session.id, PORT] = Endpoint(
        host="127.0.0.1", port=port, scheme="https" if tls else "http", ca=ca
    )
    site.targets.forget()
    try:
        yield
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@asynccontextmanager
async def visiting(
    site: Site, start: str, **headers: object
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection to JupyterLab and send the head of a request on it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.serverapp.port, limit=2 * MIB)
    method, _, path = start.partition(" ")
    lines = [
        f"{method} {site.prefix}/p/{PORT}{path} HTTP/1.1",
        f"Host: 127.0.0.1:{site.serverapp.port}",
        f"Authorization: token {site.token}",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def head_of(reader: asyncio.StreamReader) -> str:
    return (await reader.readuntil(b"\r\n\r\n")).decode()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a body back while it comes."""
    head = await head_of(reader)
    length = re.search(r"Content-Length: (\d+)", head)
    framing = f"Content-Length: {length[1]}" if length else "Transfer-Encoding: chunked"
    writer.write(f"HTTP/1.1 200 OK\r\n{framing}\r\n\r\n".encode())
    if length:
        left = int(length[1])
        while left:
            part = await reader.read(65536)
            left -= len(part)
            writer.write(part)
            await writer.drain()
        return
    while True:
        size = int(await reader.readline(), 16)
        part = await reader.readexactly(size + 2)
        writer.write(b"%x\r\n" % size + part)
        await writer.drain()
        if not size:
            return


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
async def test_both_bodies_flow_at_the_same_time(site: Site, chunked: bool) -> None:  # noqa: FBT001
    blocks = 100
    headers = (
        {"Transfer_Encoding": "chunked"} if chunked else {"Content_Length": blocks * len(BLOCK)}
    )
    sent, came = blake2b(), blake2b()

    async def give(writer: asyncio.StreamWriter) -> None:
        for number in range(blocks):
            block = number.to_bytes(2, "big") + BLOCK[2:]
            sent.update(block)
            writer.write(b"%x\r\n%b\r\n" % (len(block), block) if chunked else block)
            await writer.drain()
        if chunked:
            writer.write(b"0\r\n\r\n")

    async def take(reader: asyncio.StreamReader) -> None:
        assert (await head_of(reader)).startswith("HTTP/1.1 200 ")
        left = blocks * len(BLOCK)
        while left:
            if chunked:
                size = int(await reader.readline(), 16)
                part = (await reader.readexactly(size + 2))[:-2]
            else:
                part = await reader.read(65536)
            assert part
            left -= len(part)
            came.update(part)

    async with listening(site, echo), visiting(site, "POST /", **headers) as (reader, writer):
        await asyncio.wait_for(asyncio.gather(give(writer), take(reader)), patience())
    assert came.digest() == sent.digest()


@pytest.mark.parametrize("size", [1000, LARGE - 1, LARGE, 20 * MIB])
async def test_bodies_of_every_size_arrive_whole(site: Site, size: int) -> None:
    body = (BLOCK * (size // len(BLOCK) + 1))[:size]
    async with listening(site, echo):
        response = await AsyncHTTPClient().fetch(
            site.url("/", port=PORT),
            method="POST",
            body=body,
            headers={"Authorization": f"token {site.token}"},
            request_timeout=patience(),
        )
    assert response.body == body


async def test_who_asks_whether_to_go_on_is_told(site: Site) -> None:
    for size in (1000, LARGE):
        headers = {"Content_Length": size, "Expect": "100-continue"}
        async with listening(site, echo), visiting(site, "PUT /", **headers) as (reader, writer):
            assert (await head_of(reader)).startswith("HTTP/1.1 100 ")
            writer.write(BLOCK[:size])
            assert (await head_of(reader)).startswith("HTTP/1.1 200 ")
            assert await reader.readexactly(size) == BLOCK[:size]


async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer as soon as the head is there, and hang up."""
    await head_of(reader)
    writer.write(b"HTTP/1.1 413 Too Much\r\nContent-Length: 3\r\n\r\nno!")
    await writer.drain()


@pytest.mark.parametrize("size", [LARGE - 1, 50 * MIB])
async def test_an_early_refusal_reaches_who_still_sends(site: Site, size: int) -> None:
    async with (
        listening(site, refuse),
        visiting(site, "POST /", Content_Length=size) as (reader, writer),
    ):

        async def give() -> None:
            with suppress(ConnectionError):
                for at in range(0, size, len(BLOCK)):
                    writer.write(BLOCK[: size - at])
                    await writer.drain()

        giving = asyncio.ensure_future(give())
        assert (await head_of(reader)).startswith("HTTP/1.1 413 Too Much")
        assert await reader.readexactly(3) == b"no!"
        await giving


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await head_of(reader)


@pytest.mark.parametrize("size", [0, 10, LARGE])
async def test_a_session_without_an_answer_is_unavailable(site: Site, size: int) -> None:
    async with (
        listening(site, hang_up),
        visiting(site, "POST /", Content_Length=size) as (reader, writer),
    ):
        writer.write(BLOCK[:size])
        assert (await head_of(reader)).startswith("HTTP/1.1 503 ")
        assert b"without a response" in await reader.readuntil(b"}")


@pytest.mark.parametrize("framing", ["Transfer-Encoding: chunked", f"Content-Length: {50 * MIB}"])
async def test_a_session_that_ended_says_so_before_the_body(site: Site, framing: str) -> None:
    await site.backend.sessions.stop(site.session.id)
    name, _, value = framing.partition(": ")
    async with visiting(site, "POST /", **{name: value}) as (reader, _):
        assert (await head_of(reader)).startswith("HTTP/1.1 409 Conflict")
        assert b"stopped" in await reader.readuntil(b"}")


async def test_a_large_answer_that_breaks_off_is_not_taken_for_whole(site: Site) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * LARGE) + b"x" * LARGE)
        await writer.drain()

    async with listening(site, half), visiting(site, "GET /") as (reader, _):
        assert f"Content-Length: {2 * LARGE}" in await head_of(reader)
        assert len(await reader.read(-1)) == LARGE


class Counting:
    """Answer each request on one connection; keep it, but hang up after `keep` requests."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.connections = 0
        self.requests: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        for _ in range(self.keep):
            head = await head_of(reader)
            self.requests.append(head.split()[0])
            if "Content-Length: 2" in head:
                await reader.readexactly(2)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await writer.drain()
        # The next request is read and then left without an answer.
        self.requests.append((await head_of(reader)).split()[0] + " lost")


async def ask(site: Site, method: str = "GET") -> int:
    response = await AsyncHTTPClient().fetch(
        site.url("/", port=PORT),
        method=method,
        body=None if method == "GET" else "hi",
        headers={"Authorization": f"token {site.token}"},
        raise_error=False,
    )
    return response.code


async def test_connections_to_the_session_are_kept(site: Site) -> None:
    program = Counting(keep=10)
    async with listening(site, program):
        for method in ("GET", "POST", "GET"):
            assert await ask(site, method) == 200
    assert program.connections == 1


async def test_a_kept_connection_that_is_dead_is_asked_again_by_reads_only(site: Site) -> None:
    program = Counting(keep=1)
    async with listening(site, program):
        assert await ask(site) == 200
        assert await ask(site) == 200  # lost on the kept connection, answered on a new one
        assert await ask(site, "POST") == 503  # it may have happened
    assert program.requests == ["GET", "GET lost", "GET", "POST lost"]


async def test_a_browser_that_leaves_lets_the_session_know(site: Site) -> None:
    left = asyncio.Event()

    async def forever(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        await reader.read(-1)
        left.set()

    for start, more in (("GET /", {}), ("POST /", {"Transfer_Encoding": "chunked"})):
        left.clear()
        async with listening(site, forever):
            async with visiting(site, start, **more) as (reader, _):
                await head_of(reader)
                assert b"data: 1" in await reader.readuntil(b"data: 1")
            await asyncio.wait_for(left.wait(), patience())


async def test_an_upload_that_breaks_off_lets_the_session_know(site: Site) -> None:
    got: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await head_of(reader)
        got.set_result(len(await reader.read(-1)))

    async with listening(site, count):
        async with visiting(site, "POST /", Content_Length=2 * LARGE) as (_, writer):
            writer.write(BLOCK[:LARGE])
            await writer.drain()
        assert await asyncio.wait_for(got, patience()) == LARGE


async def test_a_browser_that_does_not_read_holds_the_session_back(site: Site) -> None:
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            writer.write(BLOCK)
            await writer.drain()
            sent += len(BLOCK)

    async with listening(site, pour), visiting(site, "GET /"):
        seen = -1
        while seen != sent:  # until nothing more is taken
            seen = sent
            await asyncio.sleep(0.5)
        assert 0 < sent < 100 * MIB


class Once(dict[tuple[str, int], Endpoint]):
    """Endpoints that are returned once; from then on nothing listens there."""

    def __getitem__(self, key: tuple[str, int]) -> Endpoint:
        return self.pop(key)


async def test_a_stranger_on_a_port_that_a_session_left_gets_nothing(site: Site) -> None:
    heard = []

    async def stranger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(-1))

    async with listening(site, stranger):
        site.backend.ingress.endpoints = Once(site.backend.ingress.endpoints)
        assert await ask(site) == 409
        async with asyncio.timeout(patience()):
            while not heard:  # noqa: ASYNC110 (has no event)
                await asyncio.sleep(0.05)
        assert heard == [b""]


async def test_a_programs_root_ends_with_a_slash(site: Site) -> None:
    response = await AsyncHTTPClient().fetch(
        site.url("?a=1", port=PORT),
        headers={"Authorization": f"token {site.token}"},
        follow_redirects=False,
        raise_error=False,
    )
    assert response.code == 302
    assert response.headers["Location"] == f"{site.prefix}/p/{PORT}/?a=1"


async def test_what_a_page_needs_to_act_comes_with_it(site: Site) -> None:
    options: dict[str, Any] = {"headers": {"Authorization": f"token {site.token}"}}
    options["headers"]["Accept"] = "text/html"
    response = await AsyncHTTPClient().fetch(site.url("/page"), **options)
    assert any("_xsrf=" in cookie for cookie in response.headers.get_list("Set-Cookie"))


async def test_every_request_is_counted_once(site: Site) -> None:
    async with listening(site, echo):
        for size in (0, 10, LARGE):
            async with visiting(site, "POST /", Content_Length=size) as (reader, writer):
                writer.write(BLOCK[:size])
                await head_of(reader)
                assert await reader.readexactly(size) == BLOCK[:size]
    async with listening(site, refuse):
        assert await ask(site) == 413
    await AsyncHTTPClient().fetch(
        site.url("/count?mib=1"), headers={"Authorization": f"token {site.token}"}
    )
    assert sorted(site.counted) == [("http", 200)] * 4 + [("http", 413)]
