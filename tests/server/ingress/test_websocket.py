"""WebSockets through the ingress."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.upstream import MIB

Connect = Callable[..., Awaitable[WebSocketClientConnection]]


@pytest.fixture
def connect(site: Site, jp_asyncio_loop: Any) -> Iterator[Connect]:
    """Connect through the ingress; what is left open is closed at the end."""
    opened: list[WebSocketClientConnection] = []

    async def connect_(
        port: int = 0, path: str = "/socket", **options: Any
    ) -> WebSocketClientConnection:
        headers = {"Authorization": f"token {site.token}", "Cookie": "a=b"}
        request = HTTPRequest(site.url(path, port=port, scheme="ws"), headers=headers)
        opened.append(await websocket_connect(request, max_message_size=64 * MIB, **options))
        return opened[-1]

    async def close_all() -> None:
        for socket in opened:
            socket.close()
            while socket.close_code is None and await socket.read_message() is not None:
                pass

    yield connect_
    jp_asyncio_loop.run_until_complete(close_all())


@pytest.fixture
def socket(connect: Connect, jp_asyncio_loop: Any) -> WebSocketClientConnection:
    return jp_asyncio_loop.run_until_complete(connect())


async def test_text_and_binary_messages_arrive_as_what_they_are(socket: Any) -> None:
    for message in ("hello", "ünï ½", b"\x00\xff", "", b""):
        await socket.write_message(message, binary=isinstance(message, bytes))
        assert await socket.read_message() == message


async def test_a_large_message_arrives(socket: Any) -> None:
    message = b"x" * (40 * MIB)
    await socket.write_message(message, binary=True)
    assert await socket.read_message() == message


async def test_order_holds_however_fast_one_side_speaks(socket: Any) -> None:
    for i in range(2000):
        await socket.write_message(str(i))
    assert [await socket.read_message() for _ in range(2000)] == [str(i) for i in range(2000)]


async def test_a_reader_that_does_not_read_holds_the_writer_back(
    site: Site, connect: Connect
) -> None:
    socket = await connect()
    sent = 0

    async def flood() -> None:
        nonlocal sent
        while True:
            await socket.write_message(b"x" * MIB, binary=True)
            sent += 1

    writer = asyncio.ensure_future(flood())
    seen = -1
    while seen != sent:  # until nothing more is taken
        seen = sent
        await asyncio.sleep(0.5)
    assert sent < 200
    writer.cancel()


async def test_the_session_chooses_the_subprotocol(site: Site, connect: Connect) -> None:
    socket = await connect(subprotocols=["one", "two"])
    assert socket.selected_subprotocol == "two"
    assert (await connect()).selected_subprotocol is None


async def test_the_handshake_carries_no_secret_of_the_user(site: Site, connect: Connect) -> None:
    for port, wanted in ((0, "token session-secret"), (PORT, None)):
        socket = await connect(port)
        await socket.write_message("headers")
        headers = {name.lower(): value for name, value in json.loads(await socket.read_message())}
        assert headers.get("authorization") == wanted
        assert "cookie" not in headers


async def test_close_codes_cross(socket: Any) -> None:
    await socket.write_message("close")
    assert await socket.read_message() is None
    assert (socket.close_code, socket.close_reason) == (4321, "as asked")


async def test_a_refusal_of_the_session_is_passed_on(site: Site, connect: Connect) -> None:
    with pytest.raises(HTTPClientError, match="418"):
        await connect(path="/nosocket")


async def test_an_unknown_session_and_a_closed_port_are_refused(
    site: Site, connect: Connect
) -> None:
    with pytest.raises(HTTPClientError, match="403"):
        await connect(port=22)
    await site.backend.sessions.stop(site.session.id)
    site.targets.forget()
    with pytest.raises(HTTPClientError, match="409"):
        await connect()
