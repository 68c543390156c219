"""The ingress of a JupyterLab that is itself behind a reverse proxy and a base URL."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest, HTTPResponse
from tornado.websocket import websocket_connect

from tests.server.ingress.conftest import PORT, Site
from tests.server.ingress.test_security import close, cookies_of, xsrf_of

PUBLIC = "https://public.example"


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"allow_remote_access": True, "trust_xheaders": True}}


class ReverseProxy:
    """Pass connections on to JupyterLab, adding the headers that reverse proxies add."""

    def __init__(self, port: int) -> None:
        self.upstream = port
        self.tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n"))[:-2]
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        added = b"X-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.9\r\n"
        inner_writer.write(head + added + b"\r\n")
        for source, target in ((reader, inner_writer), (inner_reader, writer)):
            task = asyncio.ensure_future(self.copy_bytes(source, target))
            self.tasks.add(task)

    async def copy_bytes(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while chunk := await source.read(65536):
            target.write(chunk)
            await target.drain()
        target.close()

    async def stop(self) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


@pytest.fixture
def proxy(site: Site, jp_asyncio_loop: Any) -> Iterator[ReverseProxy]:
    proxy = ReverseProxy(site.serverapp.port)
    jp_asyncio_loop.run_until_complete(proxy.start())
    yield proxy
    jp_asyncio_loop.run_until_complete(proxy.stop())


def request(site: Site, proxy: ReverseProxy, path: str, **options: Any) -> HTTPRequest:
    headers = {"Host": "public.example", "Connection": "close", **options.pop("headers", {})}
    scheme, port = options.pop("scheme", "http"), options.pop("session_port", 0)
    url = site.url(path, port=port, scheme=scheme)
    url = url.replace(f":{site.serverapp.port}/", f":{proxy.port}/")
    return HTTPRequest(url, headers=headers, follow_redirects=False, **options)


async def fetch(*args: Any, **options: Any) -> HTTPResponse:
    return await AsyncHTTPClient().fetch(request(*args, **options), raise_error=False)


async def test_a_session_is_told_the_address_that_the_browser_sees(
    site: Site, proxy: ReverseProxy
) -> None:
    headers = {"Authorization": f"token {site.token}"}
    response = await fetch(site, proxy, "/x", headers=headers, session_port=PORT)
    seen = {name.lower(): value for name, value in json.loads(response.body)["headers"]}
    assert seen["x-forwarded-host"] == "public.example"
    assert seen["x-forwarded-prefix"] == f"{site.prefix}/p/{PORT}"
    assert "x-forwarded-for" not in seen


async def test_a_browser_outside_works_and_one_of_another_origin_does_not(
    site: Site, proxy: ReverseProxy
) -> None:
    cookies = await cookies_of(site, "public.example")
    for origin, code in ((PUBLIC, 200), ("https://evil.example", 404)):
        good = {"Cookie": cookies, "X-XSRFToken": xsrf_of(cookies), "Origin": origin}
        response = await fetch(site, proxy, "/x", method="POST", body="x", headers=good)
        assert response.code == code
        response = await fetch(
            site,
            proxy,
            "/x",
            session_port=PORT,
            method="POST",
            body="x",
            headers={"Cookie": cookies, "Origin": origin},
        )
        assert response.code == code


async def test_websockets_cross_both_proxies(site: Site, proxy: ReverseProxy) -> None:
    cookies = await cookies_of(site, "public.example")
    headers = {"Cookie": cookies, "Origin": PUBLIC, "Connection": "Upgrade"}
    socket = await websocket_connect(request(site, proxy, "/socket", scheme="ws", headers=headers))
    await socket.write_message("hello")
    assert await socket.read_message() == "hello"
    await close(socket)
    foreign = {**headers, "Origin": "https://evil.example"}
    with pytest.raises(HTTPClientError, match="403"):
        await websocket_connect(request(site, proxy, "/socket", scheme="ws", headers=foreign))
